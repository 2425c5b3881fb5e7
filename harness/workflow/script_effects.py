"""What commands before a server change in its shell, and whether the draft holds it: every other change is a question.

Pure. A program of its own cannot change its shell's variables or folder; only the shell's own commands are looked at.
A sentence names such a command and its line, never its words: they may hold a secret.
"""

import re
from collections.abc import Iterator, Sequence

from harness.workflow.script_path import is_activation, path_doubts
from harness.workflow.script_programs import changing
from harness.workflow.shell_script import ALL_EXPORTED, DECLARING, Line

# The shell's own commands that set variables, meanings of words or folders, and that the reader does not follow.
NOT_FOLLOWED = DECLARING | frozenset(
    {"eval", "read", "readarray", "mapfile", "getopts", "let", "unset", "alias", "unalias", "enable", "popd", "coproc"}
)
ENDING = frozenset({"exit", "return", "logout", "exec"})
FOLDERS = frozenset({"cd", "pushd"})
PASSING_ON = frozenset({"builtin", "command"})  # the word behind it is the command
ELEMENT = re.compile(r"[A-Za-z_]\w*\[.*\]\+?=.*", re.DOTALL)
OPEN = re.compile(r"\$[({]")  # a word that only the machine knows


def effects(line: Line, lines: Sequence[Line]) -> tuple[str, ...]:
    """One sentence for each change before the server that a person must look at."""
    before = [other for other in lines if other.holds_for(line)]
    said = list(path_doubts(line.env, (other.words for other in before)))
    for other in before:
        said += _of(other)
    said += changing(line, lines)
    if line.own:
        said.append(f"the script gives {line.words[0]!r} a meaning of its own, a function; write what that runs")
    return tuple(said)


def _of(other: Line) -> Iterator[str]:
    first = other.words[0]
    if first == "ulimit":
        yield (
            f"the script sets {' '.join(other.words)!r}, which was dropped: a server at default limits is a "
            "different server, so set it where the harness itself is started"
        )
    elif first in ("source", ".") and not is_activation(other.words):
        yield f"the script reads more settings from {other.words[-1]!r}, which were not looked at"
    elif first in FOLDERS:
        yield f"the script changes to {other.words[-1]!r}; servers start in the workspace, so write whole paths"
    elif first in ENDING and len(other.words) > (first == "exec") and not other.conditional:
        yield f"line {other.number} ends the script ({first}) before it starts this server; see that it is the one"
    elif not other.followed and (command := _unfollowed(other)):
        yield (
            f"line {other.number} runs {command}, and what that changes for the server was not followed; write what it "
            "sets into the command or into [baseline.env]"
        )


def _unfollowed(line: Line) -> str:
    """The command that may change the shell in a way that nobody followed, empty if it cannot."""
    words = line.words[1:] if line.words[0] in PASSING_ON and len(line.words) > 1 else line.words
    first = words[0]
    if ELEMENT.fullmatch(first):
        return "an assignment to one element of a list"
    if OPEN.search(first):
        return "a command that the script alone does not name"
    if first in NOT_FOLLOWED or (first in FOLDERS | {"source", "."} and words is not line.words):
        return repr(first)
    rest = words[1:]
    if (first == "printf" and "-v" in rest[:1]) or (first == "hash" and "-p" in rest) or _traps(first, rest):
        return repr(first)
    sets = first == "set" and any(ALL_EXPORTED.fullmatch(word) or word == "allexport" for word in rest)
    return "'set', under a condition" if sets else ""


def _traps(first: str, rest: Sequence[str]) -> bool:
    return first == "trap" and any(word in ("DEBUG", "ERR", "RETURN") for word in rest)
