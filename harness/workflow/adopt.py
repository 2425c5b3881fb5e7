"""From a launch script to the draft of a target's file: finds the server that the script starts, and what it is given.

The script is read as data. Values of secrets are never kept; what a person must decide is said, never guessed on.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from harness.vocabulary.arm import normal
from harness.vocabulary.base import Scalar
from harness.vocabulary.target import SECRET_ENV
from harness.workflow.script_effects import effects
from harness.workflow.script_numbers import scalar, unread
from harness.workflow.script_path import ENVIRONMENT, left_behind, resolved
from harness.workflow.script_programs import others
from harness.workflow.script_secrets import SECRET_FLAG, Hidden, looks_secret
from harness.workflow.script_start import CLEARED, left_out, places_of, unwrapped
from harness.workflow.shell_script import GLOBBED, Line, NotReadableError, read_script

Engine = Literal["vllm", "llamacpp", "command"]
KEPT = frozenset({"numactl", "taskset", "nice", "ionice", "chrt", "stdbuf"})  # part of how it runs
CONTAINERS = frozenset({"docker", "podman", "nerdctl", "docker-compose", "apptainer", "singularity"})
ELSEWHERE = frozenset({"ssh", "srun", "sbatch", "tmux", "screen", "systemctl", "systemd-run", "kubectl", "su", "sudo"})
ADDED = frozenset({"host", "port", "served-model-name", "alias"})  # the adapter writes these itself
LEFT = re.compile(r"\$\{(\w+)\}")  # a variable from outside, as the reader leaves it
NO_NAMES = frozenset({"$(...)", GLOBBED, CLEARED})  # what is unknown and no variable
NAMING = ("served-model-name", "alias")
LOOPBACK = ("127.0.0.1", "localhost", "::1")  # where production answers; a proxy stands in front of it
SHORT: dict[str, dict[str, str]] = {
    "vllm": {
        "tp": "tensor-parallel-size", "pp": "pipeline-parallel-size", "dp": "data-parallel-size", "q": "quantization",
    },
    "llamacpp": {
        "m": "model", "c": "ctx-size", "ngl": "n-gpu-layers", "np": "parallel", "t": "threads", "tb": "threads-batch",
        "b": "batch-size", "ub": "ubatch-size", "fa": "flash-attn", "ctk": "cache-type-k", "ctv": "cache-type-v",
        "cb": "cont-batching", "sm": "split-mode", "ts": "tensor-split", "mg": "main-gpu", "md": "model-draft",
        "to": "timeout", "a": "alias", "ot": "override-tensor", "n": "predict",
    },
}  # fmt: skip


@dataclass(frozen=True)
class Found:
    """The server that a script starts."""

    engine: Engine
    line: int  # of the script
    command: tuple[str, ...]  # argv before the flags
    flags: tuple[tuple[str, Scalar], ...]
    env: tuple[tuple[str, str], ...]  # without secrets
    secrets: tuple[str, ...]  # names of variables and flags whose values were not kept
    port: int | None
    host: str  # the loopback address on which it is to answer
    alias: str  # the name under which the script serves the model, empty if it names none
    alias_flag: str  # the flag that says so, empty if there is none
    decide: tuple[str, ...]  # one sentence for each thing that a person must decide
    left_out: tuple[str, ...] = ()  # what only concerned the shell, and is the guardian's business now


@dataclass(frozen=True)
class NotFound:
    """No draft can be made of this script; the sentence says why and what to do."""

    sentence: str


@dataclass(frozen=True)
class _Given:
    """A command's words, sorted."""

    flags: dict[str, Scalar]
    loose: tuple[str, ...]  # words that are no flag
    decide: tuple[str, ...]
    secrets: tuple[str, ...]  # values of flags whose names say that they are secrets


def find_server(text: str) -> Found | NotFound:
    """The server that the script starts, the last one if it starts several."""
    try:
        lines = read_script(text)
    except NotReadableError as error:
        return NotFound(f"the script cannot be read as a list of commands ({error}); write the target's file by hand")
    starts = [line for line in map(unwrapped, lines) if _engine(line.words) is not None]
    if not starts:
        return NotFound(_why_none(lines))
    more = (
        ()
        if len(starts) == 1
        else (f"the script starts {len(starts)} servers; this is the one of line {starts[-1].number}",)
    )
    return _described(starts[-1], lines, more)


def _engine(words: tuple[str, ...]) -> Engine | None:
    """Which engine the words start, none if they start none. A wrapper that is kept may stand before it."""
    names = [word.rpartition("/")[2] for word in words]
    if not names or names[0] in CONTAINERS | ELSEWHERE:
        return None
    at = _server_at(names)
    if at is None:
        return None
    if names[at] == "vllm" or "vllm" in " ".join(names[at : at + 3]):
        return "vllm"
    return "llamacpp" if names[at].startswith("llama-server") else "command"


def _server_at(names: list[str]) -> int | None:
    """Where the server's own command begins."""
    for at, name in enumerate(names):
        if at and names[0] not in KEPT:
            return None
        if name == "vllm" and names[at + 1 : at + 2] == ["serve"]:
            return at
        if name.startswith("llama-server"):
            return at
        serves = any(word == "--port" or word.startswith("--port=") for word in names[at:])
        if re.fullmatch(r"python[0-9.]*", name) and ("vllm" in " ".join(names[at + 1 : at + 3]) or serves):
            return at
    return None


def _described(line: Line, lines: list[Line], more: tuple[str, ...]) -> Found:
    engine = _engine(line.words) or "command"
    names = [word.rpartition("/")[2] for word in line.words]
    at = _server_at(names) or 0
    length = 1 if engine == "llamacpp" else 3 if names[at + 1 : at + 2] == ["-m"] else 2
    given = _given(engine, line.words[at + length :])
    hidden = Hidden.of((*line.known, *line.env, *line.defaults), given.secrets)
    secret_flags = [key for key, value in given.flags.items() if SECRET_FLAG.search(key) or hidden.holds(value)]
    added = ADDED - {"host"} if engine == "command" else ADDED  # that adapter writes no address
    flags = {name: value for name, value in given.flags.items() if name not in added and name not in secret_flags}
    secret_env = [name for name, value in line.env if SECRET_ENV.search(name) or hidden.holds(value)]
    port, named = given.flags.get("port"), [name for name in NAMING if name in given.flags]
    command = (*line.words[: at + length], *(word for word in given.loose if not hidden.holds(word)))
    host = str(given.flags.get("host", ""))
    shown = replace(line, words=tuple(word for word in line.words if word not in given.secrets))
    doubts = _doubts(shown, lines, flags, _in_secrets_alone(shown, given.secrets))
    decide = (*more, *given.decide, *doubts, *_port_doubt(port), *_host_doubt(engine, host))
    return Found(
        engine=engine,
        line=line.number,
        command=_in_environment(command, at, dict(line.env).get(ENVIRONMENT)),
        flags=tuple(flags.items()),
        env=resolved((name, value) for name, value in line.env if name not in secret_env),
        secrets=(*secret_env, *(f"--{name}" for name in secret_flags)),
        port=port if isinstance(port, int) and not isinstance(port, bool) else None,
        host=host if host in LOOPBACK else LOOPBACK[0],
        alias=hidden.without(str(given.flags[named[0]])) if named else "",
        alias_flag=named[0] if named else "",
        decide=tuple(map(hidden.without, decide)),
        left_out=(*left_out(line), *left_behind(line.env), *others(line, lines)),
    )


def _given(engine: Engine, words: tuple[str, ...]) -> _Given:
    """Flags with their values, and what is none: `--name value`, `--name=value`, `--name`, an engine's short ones."""
    flags: dict[str, Scalar] = {}
    loose, decide, secrets = list[str](), list[str](), list[str]()
    at = 0
    while at < len(words):
        word, at = words[at], at + 1
        name, equals, value = word.partition("=")
        short = SHORT.get(engine, {}).get(name.lstrip("-")) if re.fullmatch(r"-[a-z]+", name) else None
        if not name.startswith("--") and short is None:
            if word.startswith("-"):
                decide.append(
                    f"{word!r} is no flag that this draft knows; it was kept in the command, look at its place"
                )
            loose.append(word)
            continue
        key = short or normal(name[2:])
        values: list[str] = [value] if equals else []
        while not equals and at < len(words) and not re.match(r"--?[a-zA-Z]", words[at]):
            values.append(words[at])
            at += 1
        secrets += values if SECRET_FLAG.search(key) else ()
        if key in flags:
            decide.append(f"--{key} stands more than once in the script; the last one was kept")
        if len(values) > 1 and key not in ADDED:
            secret = SECRET_FLAG.search(key) or any(map(looks_secret, values))
            said = "" if secret else f" ({' '.join(values)})"
            decide.append(f"--{key} was given {len(values)} words{said}; a flag holds one, so only the first")
        if len(values) > 1 and key in NAMING:
            decide.append(
                f"the script gives the model {len(values)} names ({' '.join(values)}); the harness gives it one"
            )
        flags[key] = scalar(key, values[0], python=engine != "llamacpp") if values else True
        decide += [question] if (question := unread(key, flags[key])) else []
    return _Given(flags, tuple(loose), tuple(decide), tuple(secrets))


def _in_secrets_alone(line: Line, secrets: Sequence[str]) -> frozenset[str]:
    """Variables that only a flag left out as a secret asks for: nobody has to put in what is not taken over."""
    elsewhere = {name for text in (*line.words, *dict(line.env).values()) for name in LEFT.findall(text)}
    return frozenset(name for text in secrets for name in LEFT.findall(text)) - elsewhere


def _doubts(line: Line, lines: list[Line], flags: dict[str, Scalar], aside: frozenset[str]) -> tuple[str, ...]:
    """What the script leaves to the machine or to a condition; of variables `aside` nothing is asked."""
    names = dict.fromkeys((*line.unknown, *(name for word in line.words for name in LEFT.findall(word))))
    said = [f"the script does not set ${name}; put its value in" for name in names if name not in NO_NAMES | aside]
    if GLOBBED in line.unknown:
        said.append(
            "a shell puts other words in the place of a pattern (*, ?, [...], {a,b}) in the command; write them"
        )
    if CLEARED in line.unknown:
        said.append(
            "the script starts the server by env with an option that was dropped; see what it does to variables"
        )
    if any("$(" in str(value) for value in (*flags.values(), *dict(line.env).values(), *line.words)):
        said.append("a value comes from a command that the script runs, $(...); put the value in")
    said += [
        f"the script takes ${name} from outside; where nobody sets it, it is {value!r}, which was written"
        for name, value in line.defaults
    ]
    said += effects(line, lines)
    said += [
        f"{name} holds {value!r}, and the script does not set all of it; put its value in"
        for name, value in resolved(line.env)
        if LEFT.search(value)
    ]
    held = dict(line.env)
    said += [
        f"{name} is set only under a condition in the script; "
        f"{'keep it or take it away' if name in held else 'the command holds its value: see that you mean it'}"
        for name in line.unsure
    ]
    if line.conditional:
        said.append(
            "the server is started under a condition or in a function; see that these are the settings you mean"
        )
    said += [
        f"the server's words go to {place!r} in the script; the harness keeps them in a log of its own, in which the "
        "ready pattern is searched, so point there who reads that one"
        for place in places_of(line, lines)
    ]
    return tuple(dict.fromkeys(said))


def _port_doubt(port: Scalar | None) -> tuple[str, ...]:
    if isinstance(port, int) and not isinstance(port, bool):
        return ()
    return ("the script names no port that could be read; write production's port",)


def _host_doubt(engine: Engine, host: str) -> tuple[str, ...]:
    """What becomes of the address on which the script has its server listen; nothing where it stays as it is."""
    if engine == "command" or host in LOOPBACK or (engine == "llamacpp" and not host):  # its own default is loopback
        return ()
    where = f"listen on {host!r} (--host)" if host else "listen on every address (it names no --host)"
    return (
        f"the script has the server {where}; under the harness it answers on {LOOPBACK[0]} of its machine only, so put "
        "a proxy in front of it for users on other machines",
    )


def _in_environment(command: tuple[str, ...], at: int, folder: str | None) -> tuple[str, ...]:
    """The program's whole path where the script activates a virtual environment."""
    if folder is None or "/" in command[at]:
        return command
    return (*command[:at], f"{folder}/bin/{command[at]}", *command[at + 1 :])


def _why_none(lines: list[Line]) -> str:
    """Why there is no server in it, in one sentence."""
    for line in map(unwrapped, lines):
        name = line.words[0].rpartition("/")[2] if line.words else ""
        if name in CONTAINERS:
            return (
                f"line {line.number} starts the server with {name!r}: its processes belong to the container's daemon, "
                "so the guardian could neither hold nor restore them; draft from the command that runs inside"
            )
        inside = " ".join(line.words)
        if name in ELSEWHERE and ("vllm" in inside or "llama-server" in inside):
            return (
                f"line {line.number} hands the server to {name!r}, which would own its processes instead of the "
                "guardian; draft from a script that holds the server's own command"
            )
    return (
        "no server is started in it: neither `vllm serve`, `python -m vllm...`, `llama-server` nor "
        "`python ... --port N`; name the script that holds that command, or write the target's file by hand"
    )
