"""Everything one simulated server is told, as one frozen value, and the table of options it is read from.

`OPTIONS` is the only list: the command line, the documents and the tests are made from it.
"""

import argparse
from dataclasses import dataclass

from harness.simulator.faults import Fault, Faults
from harness.simulator.pace import Knots

STYLES = ("vllm", "v100-fork", "llamacpp")
TOOL_MODES = ("both", "auto", "required", "none")
REASONING = ("none", "reasoning", "reasoning_content", "both", "both-empty", "vllm", "whole-only")


@dataclass(frozen=True)
class Option:
    """One option of the simulator itself; its default's type is its type."""

    name: str
    default: str | int | float | bool
    meaning: str
    choices: tuple[str, ...] = ()


OPTIONS: tuple[Option, ...] = (
    Option("style", "vllm", "whose log lines and metrics: vllm, its V100 fork, llama.cpp", STYLES),
    Option("workers", 4, "worker processes, k"),
    Option("time-scale", 1.0, "every simulated wait is multiplied by this; 0.01 makes a minute 0.6 s"),
    Option("start-s", 2.0, "simulated seconds from the start to the ready line"),
    Option("lifetime-s", 900, "real seconds after which every process of it ends by itself"),
    Option("user-tok-s", "", "rates of one user by users at once, `1:68.1,8:32.5`; none: the seeds' figures"),
    Option(
        "cold-s", "", "seconds of a cold prompt in one piece by its tokens, `21600:15.4,65536:56.6`; none: the seeds'"
    ),
    Option("warm-s", "", "seconds of a wholly cached prompt by its tokens; none: the seeds'"),
    Option("speed-pct", 0.0, "this start is so much faster than the figures of the seeds, percent"),
    Option("launch-sd-pct", 0.0, "standard deviation of the speed between starts, percent"),
    Option("seed", 0, "of everything random; the speed of a start also depends on the name it serves"),
    Option("launches-file", "", "a file that counts starts, one line each; drift and --fault-on need it"),
    Option("drift-pct", 0.0, "each start is so much slower than the one before, percent"),
    Option("walk-sd-pct", 0.0, "standard deviation of a random walk of the speed from start to start, percent"),
    Option("fault-on", "", "faults act only in these starts, counted from 1: `2,5` or `3-`"),
    Option("gather-ms", 10.0, "real milliseconds an idle engine waits for more requests before it begins"),
    Option("priorities-work", False, "a request with a lower priority number really goes first (M14: it did not)"),
    Option("prefix-cache", False, "prompts are kept in a prefix cache of 16-token blocks (M7)"),
    Option("draft-tokens", 0, "speculative decoding: tokens drafted a step (M9)"),
    Option("acceptance", 0.52, "share of drafted tokens that are accepted"),
    Option("draft-cost", 0.29, "cost of one drafted token, in steps"),
    Option("overhead-s", 0.0, "no prompt is read in less, seconds; 0: the seeds' 0.53"),
    Option("wording", "", "any word: one word in ten of each text is another one, as with another quantisation (A6b)"),
    Option("reasoning", "none", "where the first half of an answer goes (M3)", REASONING),
    Option("tool-calls", "both", "which tool_choice gives a tool call (M13)", TOOL_MODES),
    Option("image-min-tokens", 0, "a picture costs 1,103 tokens from 1,024 on, else 81"),
    Option("leak-kib", 0.0, "memory a worker keeps for ever after each request, KiB"),
    Option("warm-up-mib", 0.0, "memory each worker takes over its first 20 requests, then no more"),
    Option("leak-descriptors", 0.0, "file descriptors the parent keeps open after each request"),
    Option("object", "", "a file that each worker maps executable, as a shared object"),
    Option("markers", "IQ4XS_BMMVQ,IQ4XS_TILE_MMQ", "v100-fork: kernels whose marker each worker prints, by comma"),
    Option("partitions", "256,512,1024,2048", "decode partition sizes that the binary was built with (S7)"),
    Option("tile-gain-pct", 3.0, "what V100_TILE=128 in the environment makes faster, percent; its marker is TILE128"),
    Option("cards-file", "", "a file that stands for a driver: one card a worker (`harness.simulator.nvml`)"),
    Option("tls-cert", "", "certificate and key in one PEM file: the API is served over TLS"),
    Option("wrong-log", "", "file for the fault marker-in-wrong-log; none: nowhere"),
    Option("share-port", False, "listen so that another process may have the same port as well"),
    Option("ends-with", 0, "end when the process with this pid is gone; for the servers that faults start"),
    Option("hold-mib", 0, "serve nothing, only hold so much memory; for the fault memory-not-returned"),
)


@dataclass(frozen=True)
class Settings:
    """What was said on the command line: the simulator's own options, the engine's flags, the faults."""

    own: dict[str, str | int | float | bool]
    engine: dict[str, str]
    faults: Faults

    def text(self, name: str) -> str:
        """An option that is text."""
        return str(self.own[name])

    def number(self, name: str) -> float:
        """An option that is a number."""
        return float(self.own[name])

    def whole(self, name: str) -> int:
        """An option that is a whole number."""
        return int(self.own[name])

    def on(self, name: str) -> bool:
        """An option that is on or off."""
        return bool(self.own[name])

    @property
    def style(self) -> str:
        """Whose log lines and metrics."""
        return self.text("style")


def option_parser() -> argparse.ArgumentParser:
    """The simulator's own options; the engine's flags are left over."""
    parser = argparse.ArgumentParser(prog="python -m harness.simulator", description=__doc__, allow_abbrev=False)
    for option in OPTIONS:
        if isinstance(option.default, bool):
            parser.add_argument(f"--{option.name}", action="store_true", help=option.meaning)
        else:
            choices = option.choices or None
            parser.add_argument(
                f"--{option.name}",
                type=type(option.default),
                default=option.default,
                choices=choices,
                help=option.meaning,
            )
    parser.add_argument("--fault", action="append", default=[], metavar="NAME[=VALUE]", help="see --list-faults")
    parser.add_argument(
        "--effect",
        action="append",
        default=[],
        metavar="NAME=VALUE:OPTION=VALUE",
        help="what a variable or flag changes (see docs/simulator.md)",
    )
    parser.add_argument("--list-faults", action="store_true", help="print every fault and what it does, then end")
    return parser


def faults_table() -> str:
    """Every fault in one line each."""
    return "\n".join(f"{fault.value:28} {fault.said}" for fault in Fault)


def own_settings(words: argparse.Namespace) -> dict[str, str | int | float | bool]:
    """The values of the own options by their names."""
    return {option.name: getattr(words, option.name.replace("-", "_")) for option in OPTIONS}


def knots(text: str, otherwise: Knots) -> Knots:
    """`1:68.1,8:32.5` as knots, growing and positive. Raises ValueError with one sentence."""
    if not text:
        return otherwise
    try:
        found = tuple((float(at), float(value)) for at, _, value in (word.partition(":") for word in text.split(",")))
    except ValueError as error:
        raise ValueError(f"{text!r} is no list of knots; write it as 1:68.1,8:32.5") from error
    if list(found) != sorted(found) or any(at <= 0 or value <= 0 for at, value in found):
        raise ValueError(f"the knots {text!r} must be positive and grow from left to right")
    return found


def numbers(text: str) -> tuple[int, ...]:
    """Whole numbers between commas."""
    return tuple(int(word) for word in text.split(",") if word.strip())


def acts_on(said: str, start: int) -> bool:
    """Whether `2,5` or `3-` names this start; nothing said names every one."""
    if not said:
        return True
    for word in said.split(","):
        low, dash, high = word.partition("-")
        if start == int(low) if not dash else int(low) <= start <= int(high or start):
            return True
    return False
