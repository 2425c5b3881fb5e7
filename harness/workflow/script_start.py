"""What a shell does around the server that a script starts: wrappers, the background, where its words go. Pure.

The guardian holds servers itself and keeps their words in a log of its own: none of this comes over, all is said.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from harness.workflow.shell_script import Line

DROPPED = frozenset({"exec", "nohup", "setsid", "command", "time"})  # servers have sessions of their own
DETACHING = ("nohup", "setsid")
CLOSING = frozenset({"}", ")", "fi", "done", "esac"})  # what stands behind a group whose words are sent somewhere
CLEARED = "env -"  # among unknown names: an option of env that may clear what the script set
NOWHERE = "/dev/null"
UNKNOWN, SUBSTITUTE = "$(...)", ">(...)"  # a command in the place of a file, as it is read and as it is written


def unwrapped(line: Line) -> Line:
    """The command without what only concerns the shell that started it; `env A=b` becomes variables."""
    words, env, background, unknown = list(line.words), dict(line.env), line.background, line.unknown
    while words and (words[0] in DROPPED or words[0].rpartition("/")[2] == "env"):
        word = words.pop(0)
        background = background or word in DETACHING
        if word.rpartition("/")[2] == "env":
            while words and (words[0].startswith("-") or "=" in words[0]):
                name, equals, value = words.pop(0).partition("=")
                if name in ("-u", "--unset"):
                    env.pop(value if equals else words.pop(0) if words else "", None)
                elif name.startswith("-"):
                    unknown = (*unknown, CLEARED)
                else:
                    env[name] = value
    return replace(line, words=tuple(words), env=tuple(env.items()), background=background, unknown=unknown)


def places_of(line: Line, lines: Sequence[Line]) -> tuple[str, ...]:
    """Files and commands that the server's words go to in the script, its own redirections and those around it."""
    found = (place for place in _places(line, lines) if place != NOWHERE)
    return tuple(dict.fromkeys(SUBSTITUTE if place == UNKNOWN else place for place in found))


def _places(line: Line, lines: Sequence[Line]) -> Iterator[str]:
    piped = line.piped
    for at, other in enumerate(lines):
        around = other.words == ("exec",) and other.number <= line.number
        group = other.words[0] in CLOSING and other.number >= line.number
        if around or group:
            yield from other.outputs
        if piped and other.number == line.number and at and lines[at - 1].piped:
            yield " ".join(other.words)
            piped = other.piped
    yield from line.outputs


def left_out(line: Line) -> tuple[str, ...]:
    """What was left out of the start and needs no decision."""
    said = list[str]()
    if line.background:
        said.append(
            "the script leaves the server in the background (nohup, setsid or &); the guardian holds it instead"
        )
    if NOWHERE in line.outputs:
        said.append(
            "the script throws the server's words away; the harness keeps them, and finds the ready line in them"
        )
    return tuple(said)
