"""Reads the console blocks of a page of documentation and runs them as a reader would: one after the other, for real.

The convention, also told on the page itself:
- a fenced block that begins with `console` is run; `console server` marks one that needs the real server;
- `$ COMMAND` is a command, `# exit N` at its end the exit code it must have, 0 where nothing is said;
- every other line is output: its words must be printed, one after the other; `...` stands for words left out, and
  words with a digit in them (numbers, ids, times, paths) are not compared.
"""

import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

FENCE = re.compile(r"^```(?P<info>[^`\n]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ (?P<words>.*?)(?:\s+# exit (?P<code>\d+))?$")
GAP = "..."
EDGES = re.compile(r"^\W+|\W+$")
SPLIT = re.compile(r"[\s\u2500-\u257f]+")  # blanks, and the lines of which tables are drawn
COLUMNS = "140"
ENDING_S = 300  # a command that is interrupted brings production back first


@dataclass(frozen=True)
class Step:
    """One command of a page and what the page says about it."""

    command: str
    exit_code: int
    shown: tuple[str, ...]
    needs_server: bool


@dataclass(frozen=True)
class Ran:
    """What a command really did; `output` holds both streams."""

    exit_code: int | None  # none if it did not end in time
    output: str


def blocks(page: str) -> Iterator[tuple[str, str]]:
    """Info string and body of every fenced block."""
    for match in FENCE.finditer(page):
        yield match["info"].strip(), match["body"]


def steps(page: str) -> tuple[Step, ...]:
    """Every command of the page, in its order. Raises ValueError for output without a command."""
    found: list[Step] = []
    for info, body in blocks(page):
        if info.split()[:1] == ["console"]:
            found += _steps(body, info == "console server")
    return tuple(found)


def _steps(body: str, needs_server: bool) -> Iterator[Step]:
    command, code, shown = "", 0, list[str]()
    for line in [*body.splitlines(), "$ "]:
        match = COMMAND.match(line)
        if match is None:
            if not command:
                raise ValueError(f"output before any command: {line!r}")
            shown.append(line)
            continue
        if command:
            yield Step(command, code, tuple(shown), needs_server)
        command, code, shown = match["words"], int(match["code"] or 0), []


def words(text: str) -> tuple[str, ...]:
    """The words that are compared: without digits in them, and without the signs around them."""
    stripped = (EDGES.sub("", word) for word in SPLIT.split(text))
    return tuple(word for word in stripped if word and not any(letter.isdigit() for letter in word))


def pieces(line: str) -> tuple[tuple[str, ...], ...]:
    """The runs of words in one shown line, between what it leaves out."""
    return tuple(found for part in line.split(GAP) if (found := words(part)))


def missing(step: Step, output: str) -> tuple[str, ...]:
    """Every shown line whose words were not printed."""
    printed = words(output)
    return tuple(line for line in step.shown if not _stands(pieces(line), printed))


def _stands(wanted: tuple[tuple[str, ...], ...], printed: tuple[str, ...]) -> bool:
    """Whether the pieces occur, each whole, one after the other."""
    start = 0
    for piece in wanted:
        size = len(piece)
        here = (at for at in range(start, len(printed) - size + 1) if printed[at : at + size] == piece)
        found = next(here, None)
        if found is None:
            return False
        start = found + size
    return True


@dataclass
class Reader:
    """Somebody who types the commands of a page; `cd` is theirs, everything else is a real process."""

    folder: Path
    limit_s: float
    env: dict[str, str] = field(default_factory=lambda: reader_env(os.environ))

    def type(self, command: str) -> Ran:
        """Run one command to its end, or interrupt it as a person would."""
        argv = shlex.split(command)
        if argv[0] == "cd":
            self.folder = (self.folder / argv[1]).resolve(strict=True)
            return Ran(0, "")
        with subprocess.Popen(
            argv, cwd=self.folder, env=self.env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ) as process:
            try:
                output, _ = process.communicate(timeout=self.limit_s)
            except subprocess.TimeoutExpired:
                return Ran(None, _interrupted(process))
            return Ran(process.returncode, output)

    def follow(self, step: Step) -> str | None:
        """Type the step's command; one sentence for everything that is not as the page says, none if it is."""
        ran = self.type(step.command)
        if ran.exit_code != step.exit_code:
            return (
                f"`{step.command}` ended with {ran.exit_code}, the page says {step.exit_code}; it said:\n{ran.output}"
            )
        lines = missing(step, ran.output)
        if lines:
            return f"`{step.command}` did not say:\n" + "\n".join(lines) + f"\nit said:\n{ran.output}"
        return None


def _interrupted(process: subprocess.Popen[str]) -> str:
    process.send_signal(signal.SIGINT)
    try:
        output, _ = process.communicate(timeout=ENDING_S)
    except subprocess.TimeoutExpired:
        process.kill()
        output, _ = process.communicate()
    return output


def reader_env(environ: "os._Environ[str]") -> dict[str, str]:
    """A plain terminal of fixed width with this environment's programs first."""
    path = os.pathsep.join((str(Path(sys.executable).parent), environ.get("PATH", os.defpath)))
    plain = {key: value for key, value in environ.items() if key not in ("FORCE_COLOR", "PYTHONWARNINGS")}
    return plain | {"PATH": path, "COLUMNS": COLUMNS, "NO_COLOR": "1"}
