"""What a launch needs to know about an engine: how it is started, asked, and what its own report says.

Adapters decide nothing about validity: they translate. Registry in `harness.adapters`.
"""

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from harness.account import account_home
from harness.hosts.base import ServerSpec
from harness.vocabulary.arm import Arm, normal
from harness.vocabulary.base import Scalar
from harness.vocabulary.target import Target

# The whole environment of a server before its target's own variables: nothing is inherited from the shell, so no key
# can leak into it and no forgotten variable can be part of the baseline. HOME comes from the list of accounts; only for
# an account that is not listed there, from the shell.
FIXED_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
FIXED_LANG = "C.UTF-8"


@dataclass(frozen=True)
class Place:
    """Where one start answers: the port it is given (0: it chooses) and the name it serves the model under."""

    alias: str
    port: int
    cwd: Path


@dataclass(frozen=True)
class Counters:
    """What the engine itself has counted since it started."""

    prompt_tokens: int
    generated_tokens: int
    counts_cached: bool  # whether prompt tokens taken from a cache are in `prompt_tokens`
    requests: int | None = None  # requests that ended; none where the engine does not count them
    running: int | None = None  # requests being computed now
    waiting: int | None = None  # requests that wait now


@dataclass(frozen=True)
class EngineReport:
    """The engine's own words about itself: its log, its settings and its counters."""

    log: str
    effective: Mapping[str, str] = field(default_factory=dict)  # flag or variable -> value in force, as the engine says
    parsed: Mapping[str, str] = field(default_factory=dict)  # flag -> value as the engine read its command line
    props: Mapping[str, Any] = field(default_factory=dict)
    metrics: Mapping[str, float] = field(default_factory=dict)
    build: str | None = None  # the engine's own words about its version, none where it does not say
    unread: tuple[str, ...] = ()  # metrics that are there and are no finite numbers
    silent: str = ""  # why the metrics were not answered, empty where they were or the engine has none
    served_models: tuple[str, ...] = ()


class Adapter(Protocol):
    """One engine."""

    name: str
    port_zero: bool  # whether the server can choose its port and say so in its log
    serves_alias: bool  # whether it lists the place's alias as its model, the second proof of who answers
    counted: tuple[str, ...]  # the metrics without which there are no counters

    def argv(self, target: Target, arm: Arm | None, place: Place) -> tuple[str, ...]:
        """The whole command line, without a shell."""

    def comparable(self, flag: str, value: Scalar) -> str | None:
        """The requested value as the engine's report would spell it; none where it cannot be compared."""

    def counters(self, report: EngineReport) -> Counters | None:
        """Tokens counted by the engine, none if it does not publish them."""

    def kv_tokens(self, report: EngineReport) -> int | None:
        """Tokens that the engine's cache holds, by its own words; none where it does not say."""

    def sampling(self, tokens: int) -> tuple[tuple[str, Scalar], ...]:
        """Fields of a request that make the engine generate exactly `tokens` tokens, cold."""

    async def report(self, base_url: str, log: str) -> EngineReport:
        """Ask the running engine about itself. What cannot be read is missing from the report, never guessed."""


def merged_flags(target: Target, arm: Arm | None) -> dict[str, Scalar]:
    """The baseline's flags with the arm's on top; a flag set to false is taken away."""
    merged = {normal(name): value for name, value in target.baseline.flags.items()}
    merged |= {normal(name): value for name, value in (arm.flags if arm else {}).items()}
    return {name: value for name, value in merged.items() if value is not False}


def bare_environment() -> dict[str, str]:
    """The fixed part of every server's environment."""
    return {"PATH": FIXED_PATH, "HOME": account_home(), "LANG": FIXED_LANG}


def environment(target: Target, arm: Arm | None, home: str | None = None) -> tuple[tuple[str, str], ...]:
    """The server's whole environment: the fixed part, the baseline's variables, the arm's on top; sorted.

    `home` is the login's on a host over ssh.
    """
    fixed = bare_environment() | ({"HOME": home} if home else {})
    whole = fixed | target.baseline.env | (arm.env if arm else {})
    return tuple(sorted(whole.items()))


def recorded_environment(target: Target, arm: Arm | None) -> tuple[tuple[str, str | None], ...]:
    """The environment as it may be recorded: values on the target's list and the arm's own, the others by name."""
    elsewhere = target.host is not None and "HOME" not in target.baseline.env  # what it is there is not known here
    open_names = {*target.recorded_env, *(arm.env if arm else {})} - ({"HOME"} if elsewhere else set())
    return tuple((name, value if name in open_names else None) for name, value in environment(target, arm))


def command(target: Target) -> tuple[str, ...]:
    """The baseline's command with `{python}` replaced by this interpreter, or by that of the host over ssh."""
    python = sys.executable if target.host is None else target.host.python
    return tuple(word.replace("{python}", python) for word in target.baseline.command)


def dashed(flags: Mapping[str, Scalar]) -> tuple[str, ...]:
    """`--name value` for each flag, a bare `--name` for true."""
    words: list[str] = []
    for name, value in flags.items():
        words += [f"--{name}"] if value is True else [f"--{name}", _word(value)]
    return tuple(words)


def _word(value: Scalar) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def server_spec(adapter: Adapter, target: Target, arm: Arm | None, place: Place) -> ServerSpec:
    """What the guardian starts for this target and arm; its label is the place's alias."""
    return ServerSpec(
        label=place.alias,
        argv=adapter.argv(target, arm, place),
        env=environment(target, arm, None if target.host is None else str(place.cwd)),
        cwd=place.cwd.resolve() if target.host is None else place.cwd,
        ready_pattern=target.ready.pattern,
        ready_timeout_s=target.ready.timeout_s,
        grace_s=target.teardown.grace_s,
    )


def gauge(report: EngineReport, name: str) -> int | None:
    """A figure of the engine's `/metrics` as a whole number, none where it is not there."""
    value = report.metrics.get(name)
    return None if value is None else round(value)
