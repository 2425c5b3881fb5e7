"""Which commands of a shell script are sure to run, and whose changes last: conditions, subshells, pipes. Pure.

A change made in a subshell, a pipe or the background lasts for what runs in the same one, and for nothing else.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from harness.workflow.script_words import NotReadableError, Simple

CLOSES = {"fi": ("if",), "done": ("for", "while", "until", "select"), "esac": ("case",), "}": ("{",)}
OPENS = frozenset(kind for kinds in CLOSES.values() for kind in kinds)
KEYWORDS = frozenset({"if", "then", "else", "elif", "do", "while", "until", "{", "!", "time"})
GOING_ON = ("&&", "||", "|", "|&")  # a line that ends so goes on
# What a script that starts a server expects to succeed: behind `cd X &&` nothing is meant to be left out.
EXPECTED = frozenset(
    {
        "cd",
        "pushd",
        "source",
        ".",
        "export",
        "declare",
        "typeset",
        "readonly",
        "set",
        "ulimit",
        "umask",
        "mkdir",
        "echo",
    }
)
ASSIGNING = re.compile(r"\w+\+?=")


@dataclass(frozen=True)
class Placed:
    """One simple command, without the keywords before it, and where it stands."""

    simple: Simple
    conditional: bool  # behind || or behind && of what may fail, inside if, case, a loop or a function
    scopes: tuple[int, ...]  # the subshells in which it runs, outermost first
    piped: bool  # its words go to the next command
    background: bool


@dataclass(frozen=True)
class Shape:
    """A whole script."""

    commands: tuple[Placed, ...]
    functions: frozenset[str]  # names that the script gives a meaning of its own


@dataclass(eq=False)
class _Frame:
    """A stretch of the script; what it is shows at its end."""

    conditional: bool = False
    apart: bool = False
    piped: bool = False
    background: bool = False
    sure: bool = True  # so far nothing in it was seen that is meant to decide whether what is behind it runs


@dataclass(eq=False)
class _Group:
    """What one pair of words or brackets holds."""

    kind: str
    number: int
    own: _Frame
    list: _Frame = field(default_factory=_Frame)
    pipe: _Frame = field(default_factory=_Frame)

    def again(self, behind: bool = False, piped_into: bool = False) -> None:
        """The next command of this group stands by itself, behind && or ||, or behind a pipe."""
        self.list = self.list if behind or piped_into else _Frame()
        kept = piped_into and self.pipe.conditional
        self.pipe = _Frame(conditional=(behind and not self.list.sure) or kept, apart=piped_into)


@dataclass
class _Reader:
    groups: list[_Group] = field(default_factory=lambda: [_Group("", 0, _Frame())])
    found: list[tuple[Simple, tuple[_Frame, ...]]] = field(default_factory=list)
    functions: set[str] = field(default_factory=set)
    body_next: bool = False  # what opens next is the body of a function
    number: int = 1
    last: Simple | str = ""
    before: Simple | str = ""  # the token before the last one

    def operator(self, sign: str) -> None:
        """Follow an operator."""
        here = self.groups[-1]
        if sign == "(":
            self.open("(")
        elif sign == ")" and here.kind == "(":
            self.groups.pop()
            self.groups[-1].list.sure = False
            self.define()
        elif sign == ")":
            here.again()  # behind the pattern of a case
        elif sign in ("|", "|&"):
            here.list.sure = False
            here.pipe.apart = here.pipe.piped = True
            here.again(piped_into=True)
        elif sign in ("&&", "||"):
            here.list.sure = here.list.sure and sign == "&&"
            here.again(behind=True)
        elif sign != "\n" or self.last not in GOING_ON:
            here.list.apart = here.list.background = sign == "&"
            here.again()

    def define(self) -> None:
        """A bracket that closes at once behind one word names a function."""
        if self.last != "(" or not isinstance(self.before, Simple):
            return
        words = [word for word in self.before.words if word not in KEYWORDS]
        if len(words) == 1 and self.found:
            self.found.pop()  # it was no command
        if len(words) == 1 or words[:1] == ["function"]:
            self.functions.add(words[-1])
            self.body_next = True

    def open(self, kind: str) -> None:
        """A group begins."""
        own = _Frame(conditional=self.body_next or kind not in ("(", "{"), apart=kind == "(")
        self.body_next = False
        self.groups.append(_Group(kind, self.number, own))

    def command(self, simple: Simple) -> None:
        """Follow a simple command and the keywords before it."""
        self.number, words = simple.number, list(simple.words)
        while words and (words[0] in KEYWORDS or words[0] in OPENS or words[0] == "function"):
            if words[0] == "!":
                self.groups[-1].list.sure = False
            if words[0] == "function":
                self.functions.update(words[1:2])
                self.body_next = True
                words = words[1:]
            elif words[0] in OPENS:
                self.open(words[0])
            if words and words[0] in OPENS - KEYWORDS:
                break  # the words of for and case stay one command
            words = words[1:]
        if words and words[0] in CLOSES:
            if self.groups[-1].kind not in CLOSES[words[0]]:
                raise NotReadableError(f"line {simple.number} holds {words[0]!r} where nothing that it closes is open")
            self.groups.pop()
            self.groups[-1].list.sure = False
        if words:
            here = self.groups[-1].list
            here.sure = here.sure and (words[0] in EXPECTED or ASSIGNING.match(words[0]) is not None)
            frames = tuple(frame for group in self.groups for frame in (group.own, group.list, group.pipe))
            self.found.append((Simple(simple.number, words, simple.outputs), frames))


def shape(tokens: Iterable[Simple | str]) -> Shape:
    """Every simple command in its place. Raises NotReadableError where words that open and close do not fit."""
    reader = _Reader()
    for part in tokens:
        if isinstance(part, str):
            reader.operator(part)
        else:
            reader.command(part)
        if not (part == "\n" and reader.last in GOING_ON):
            reader.before, reader.last = reader.last, part
    if len(reader.groups) > 1:
        group = reader.groups[-1]
        raise NotReadableError(f"line {group.number} opens {group.kind!r}, which is never closed")
    numbers: dict[_Frame, int] = {}
    made = list[Placed]()
    for simple, frames in reader.found:
        scopes = tuple(numbers.setdefault(frame, len(numbers)) for frame in frames if frame.apart)
        conditional = any(frame.conditional for frame in frames)
        made.append(Placed(simple, conditional, scopes, frames[-1].piped, frames[-2].background))
    return Shape(tuple(made), frozenset(reader.functions))
