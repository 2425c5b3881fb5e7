"""Read a shell script as data: its commands with the variables that it sets itself put in. Nothing is ever run.

Not a shell: what depends on the machine (substituted commands, variables from outside) stays visible as unknown.
"""

import re
import shlex
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import pairwise

from harness.workflow.script_path import PATH, followed
from harness.workflow.script_shape import Placed, shape
from harness.workflow.script_words import (
    LITERAL_DOLLAR,
    PATTERN,
    QUOTED_DOLLAR,
    SUBSTITUTED,
    NotReadableError,
    plain,
    tokens,
)

__all__ = ["Line", "NotReadableError", "read_script"]

MOST_BYTES = 1_000_000  # a launch script is a page or two
ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(\+?)=(.*)", re.DOTALL)
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
DECLARING = frozenset({"export", "declare", "readonly", "local", "typeset"})
DECLARED = frozenset({"-x", "-g", "-r", "-a", "-gx", "-rx", "-xr"})  # options that change no value
ALL_EXPORTED = re.compile(r"([-+])(?:[a-z]*a[a-z]*)")
GLOBBED = "*"  # among unknown names: the shell puts file names or several words in the place of a pattern
NESTED = r"(?:[^{}]|\{[^{}]*\})*"  # one reference inside another: ${PATH:+:${PATH}}
REFERENCE = re.compile(
    rf"([${QUOTED_DOLLAR}])(?:(\w+|[@*#?!$-])|\{{(\w+)(\[[@*]\])?(?:(:?[-=+?])({NESTED})|([^}}]*))\}})", re.DOTALL
)


@dataclass(frozen=True)
class Line:
    """One simple command with everything known put in."""

    number: int  # line of the script on which it begins
    words: tuple[str, ...]
    env: tuple[tuple[str, str], ...]  # assignments before the command, and variables exported so far
    unknown: tuple[str, ...] = ()  # variables that the script does not set, and substituted commands
    unsure: tuple[str, ...] = ()  # variables of `env` and of its words that are set only under a condition
    conditional: bool = False  # behind && or ||, inside if, for, case, a function
    known: tuple[tuple[str, str], ...] = ()  # every variable that the script has set so far, exported or not
    defaults: tuple[tuple[str, str], ...] = ()  # variables from outside for which the script's own default was taken
    outputs: tuple[str, ...] = ()  # files that its words are sent to
    piped: bool = False  # its words go to the next command
    background: bool = False  # the script goes on without waiting for it
    order: int = 0  # its place among the commands
    scopes: tuple[int, ...] = ()  # the subshells in which it runs, outermost first
    followed: bool = False  # what it changes is in the variables of the lines behind it
    own: bool = False  # the script defines what its first word means

    def holds_for(self, later: "Line") -> bool:
        """Whether what it changes in its shell is there for a later command."""
        return self.order < later.order and later.scopes[: len(self.scopes)] == self.scopes


@dataclass
class _State:
    """Variables as they are while the script is read from top to bottom."""

    single: dict[str, str] = field(default_factory=dict)
    arrays: dict[str, list[str]] = field(default_factory=dict)
    exported: dict[str, None] = field(default_factory=lambda: {PATH: None})  # every shell has that one in it
    unsure: dict[str, None] = field(default_factory=dict)  # set only under a condition, or from one that is
    patterns: dict[str, None] = field(default_factory=dict)  # hold what a shell expands where they are used
    all_exported: bool = False
    unknown: dict[str, None] = field(default_factory=dict)  # what the command at hand asks for
    used: dict[str, None] = field(default_factory=dict)
    defaults: dict[str, str] = field(default_factory=dict)

    def env(self) -> dict[str, str]:
        return {name: self.single[name] for name in self.exported if name in self.single}

    def set(self, values: dict[str, str], exported: list[str], conditional: bool) -> None:
        """Give variables their values, and servers those that are exported."""
        self.single.update(values)
        for name in values:
            self.mark(name, conditional)
        for name in exported:
            self.exported[name] = None
            self.mark(name, conditional, afresh=False)

    def mark(self, name: str, conditional: bool, afresh: bool = True) -> None:
        """Whether the variable's new value is sure."""
        if conditional or any(used in self.unsure for used in self.used):
            self.unsure[name] = None
        elif afresh:
            self.unsure.pop(name, None)


def read_script(text: str) -> list[Line]:
    """Every simple command, in order. Raises NotReadableError with a sentence."""
    state, found, left = _State(), list[Line](), list[tuple[int, _State]]()
    read = shape(tokens(text))
    for at, command in enumerate(read.commands):
        inside = [scope for scope, _ in left]
        while inside != list(command.scopes[: len(inside)]):
            state = left.pop()[1]  # what a subshell changed goes with it
            inside.pop()
        for scope in command.scopes[len(inside) :]:
            left.append((scope, state))
            state = deepcopy(state)
        if (line := _understood(state, at, command, read.functions)) is not None:
            found.append(line)
    return found


def _understood(state: _State, at: int, command: Placed, functions: frozenset[str]) -> Line | None:
    """Follow one command: assignments change the state, anything else is a line of the script."""
    state.unknown, state.used = {}, {}
    words, unsure = command.simple.words, command.conditional
    declared = words[0] in DECLARING and all(word in DECLARED for word in words[1:] if word[:1] in "-+")
    rest = [word for word in words[1:] if not word.startswith("-")] if declared else words
    own: dict[str, str] = {}
    while rest and (found := ASSIGNMENT.fullmatch(rest[0])):
        _assign(state, own, found, unsure)
        rest = rest[1:]
    if (declared and all(NAME.fullmatch(word) for word in rest)) or not rest:
        exports = words[0] == "export" or (declared and any("x" in word for word in words[1:] if word[0] == "-"))
        state.set(own, [*own, *rest] if exports or state.all_exported else [], unsure)
        return None
    argv = [part for word in (words if declared else rest) for part in _put_in(state, word)]
    if not argv:
        return None
    done = _changed(state, argv, unsure)
    env = state.env() | own
    listed = [name for name in env if name in state.unsure] + [name for name in state.used if name in state.unsure]
    outputs = tuple(part for word in command.simple.outputs for part in _put_in(state, word))
    return Line(
        number=command.simple.number,
        words=tuple(argv),
        env=tuple(env.items()),
        unknown=tuple(state.unknown),
        unsure=tuple(dict.fromkeys(listed)),
        conditional=unsure,
        known=(*state.single.items(), *own.items(), *((n, one) for n in state.arrays for one in state.arrays[n])),
        defaults=tuple(state.defaults.items()),
        outputs=outputs,
        piped=command.piped,
        background=command.background,
        order=at,
        scopes=command.scopes,
        followed=done,
        own=argv[0] in functions,
    )


def _changed(state: _State, argv: Sequence[str], unsure: bool) -> bool:
    """Change the state as a command of the shell's own does; whether all that it changes was followed."""
    if argv[0] == "unset" and not unsure and all(NAME.fullmatch(word) for word in argv[1:]):
        for name in argv[1:]:
            for kept in (state.single, state.arrays, state.unsure, state.exported):
                kept.pop(name, None)
        return all(name != PATH for name in argv[1:])
    if argv[0] == "set" and not unsure and len(argv) > 1:
        exported = [found[1] for word in argv if (found := ALL_EXPORTED.fullmatch(word))]
        exported += [sign[0] for sign, word in pairwise(argv) if word == "allexport"]
        state.all_exported = exported[-1] == "-" if exported else state.all_exported
        return True
    if argv[0] in ("for", "select") and NAME.fullmatch("".join(argv[1:2])):
        state.arrays.pop(argv[1], None)
        state.single[argv[1]] = f"${{{argv[1]}}}"  # another value each time
        return True
    changed = followed(argv, state.single)
    for name in changed:
        state.exported[name] = None
        state.mark(name, unsure)
    return bool(changed)


def _assign(state: _State, own: dict[str, str], found: re.Match[str], unsure: bool) -> None:
    """NAME=value, NAME+=value, NAME=(words) or NAME+=(words)."""
    name, plus, value = found.groups()
    if PATTERN.search(value):
        state.patterns[name] = None
    elif not plus:
        state.patterns.pop(name, None)
    if "\0" in value:
        items = [part for word in value.split("\0")[1:-1] for part in _put_in(state, word)]
        state.arrays[name] = [*state.arrays.get(name, []), *items] if plus else items
        state.mark(name, unsure, afresh=not plus)
        return
    if plus and state.arrays.get(name):
        state.arrays[name] = [state.arrays[name][0] + _joined(state, value), *state.arrays[name][1:]]
        state.mark(name, unsure, afresh=False)
        return
    if plus:
        state.used[name] = None
    before = own.get(name, state.single.get(name, f"${{{name}}}")) if plus else ""  # what it was outside stays open
    own[name] = before + _joined(state, value)
    state.arrays.pop(name, None)


def _joined(state: _State, word: str) -> str:
    return plain(REFERENCE.sub(lambda found: " ".join(_value(state, found)), word))


def _put_in(state: _State, word: str) -> list[str]:
    """The words that one word becomes; only a variable outside of quotes is split."""
    whole = REFERENCE.fullmatch(word)
    if whole and (whole[4] or whole[2] in ("@", "*")):
        return [plain(part) for part in _value(state, whole)]
    if whole and whole[1] == "$":
        try:
            return shlex.split(plain(" ".join(_value(state, whole))))
        except ValueError as error:
            raise NotReadableError(f"the words of {plain(word)} cannot be told apart ({error})") from error
    if SUBSTITUTED in word:
        state.unknown["$(...)"] = None
    if PATTERN.search(word):
        state.unknown[GLOBBED] = None
    return [_joined(state, word)]


def _value(state: _State, found: re.Match[str]) -> list[str]:
    """What a variable holds; one that the script does not set stays as it is written."""
    name = found[2] or found[3]
    state.used[name] = None
    if name in state.patterns:
        state.unknown[GLOBBED] = None
    if found[4] or name in state.arrays:
        return state.arrays.get(name, [])
    if name in ("@", "*"):
        state.unknown["@"] = None
        return []
    if found[5] in (":+", "+") and (name == PATH or state.single.get(name)):
        return [_joined(state, found[6])]
    if name in state.single and (state.single[name] or not found[5]):
        return [state.single[name]]
    if found[5] in (":-", "-", ":=", "="):
        state.defaults[name] = _joined(state, found[6] or "")
        return [state.defaults[name]]
    state.unknown[name] = None
    return [f"{LITERAL_DOLLAR}{{{name}}}"]
