"""Read a shell script as data: its commands with the variables that it sets itself put in. Nothing is ever run.

Not a shell: what depends on the machine (substituted commands, variables from outside) stays visible as unknown.
"""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from harness.workflow.script_path import PATH, followed

MOST_BYTES = 1_000_000  # a launch script is a page or two
# Private characters stand for what quoting protects while shlex takes the quotes away.
QUOTED_DOLLAR = "\ue000"  # a dollar inside double quotes: put in, not split
LITERAL_DOLLAR = "\ue001"  # a dollar inside single quotes, or an escaped one
SUBSTITUTED = "\ue002"  # $(...) or `...`: known only to a machine that runs it
KEYWORDS = frozenset({"if", "then", "else", "elif", "do", "while", "until", "{", "!", "time", "function"})
ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(\+?)=(.*)", re.DOTALL)
DECLARING = frozenset({"export", "declare", "readonly", "local", "typeset"})
NESTED = r"(?:[^{}]|\{[^{}]*\})*"  # one reference inside another: ${PATH:+:${PATH}}
REFERENCE = re.compile(
    rf"([${QUOTED_DOLLAR}])(?:(\w+|[@*#?!$-])|\{{(\w+)(\[[@*]\])?(?:(:?[-=+?])({NESTED})|([^}}]*))\}})", re.DOTALL
)


class NotReadableError(ValueError):
    """The script is not one that this reader understands; the message says what and where."""


@dataclass(frozen=True)
class Line:
    """One simple command with everything known put in."""

    number: int  # line of the script on which it begins
    words: tuple[str, ...]
    env: tuple[tuple[str, str], ...]  # assignments before the command, and variables exported so far
    unknown: tuple[str, ...] = ()  # variables that the script does not set, and substituted commands
    unsure: tuple[str, ...] = ()  # variables of `env` that are set only under a condition
    conditional: bool = False  # inside if, for, case, a function
    known: tuple[tuple[str, str], ...] = ()  # every variable that the script has set so far, exported or not
    defaults: tuple[tuple[str, str], ...] = ()  # variables from outside for which the script's own default was taken
    outputs: tuple[str, ...] = ()  # files that its words are sent to
    piped: bool = False  # its words go to the next command
    background: bool = False  # the script goes on without waiting for it


@dataclass(frozen=True)
class _Simple:
    """One simple command as it is written."""

    words: list[str]
    outputs: list[str]  # words after > or >>
    ended_by: str = ""  # the operator behind it


@dataclass
class _State:
    """Variables as they are while the script is read from top to bottom."""

    single: dict[str, str] = field(default_factory=dict)
    arrays: dict[str, list[str]] = field(default_factory=dict)
    exported: dict[str, None] = field(default_factory=lambda: {PATH: None})  # every shell has that one in it
    unsure: dict[str, None] = field(default_factory=dict)
    all_exported: bool = False
    depth: int = 0
    unknown: dict[str, None] = field(default_factory=dict)
    defaults: dict[str, str] = field(default_factory=dict)

    def env(self) -> dict[str, str]:
        return {name: self.single[name] for name in self.exported if name in self.single}


def read_script(text: str) -> list[Line]:
    """Every simple command, in order. Raises NotReadableError with a sentence."""
    state, found = _State(), list[Line]()
    for number, logical in _logical_lines(text):
        for simple in _commands(number, logical):
            if (line := _understood(state, number, simple.words)) is not None:
                outputs = tuple(part for word in simple.outputs for part in _put_in(state, word))
                piped, alone = simple.ended_by.startswith("|") and simple.ended_by != "||", simple.ended_by == "&"
                found.append(replace(line, outputs=outputs, piped=piped, background=alone))
    return found


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Whole lines: continued ones joined, quotes and arrays closed, here-documents left out."""
    lines = text.replace("\r\n", "\n").split("\n")
    at = 0
    while at < len(lines):
        number, line = at + 1, lines[at]
        while not _whole(line) and at + 1 < len(lines):
            at += 1
            line = f"{line[:-1]} {lines[at]}" if _continued(line) else f"{line}\n{lines[at]}"
        if not _whole(line):
            raise NotReadableError(f"line {number} opens a quote or a bracket that is never closed")
        yield number, line
        at += 1
        for end in re.findall(r"<<-?\s*['\"]?(\w+)['\"]?", line):
            while at < len(lines) and lines[at].strip() != end:
                at += 1
            at += 1


def _continued(line: str) -> bool:
    return (len(line) - len(line.rstrip("\\"))) % 2 == 1 and not line.lstrip().startswith("#")


def _whole(line: str) -> bool:
    """Whether nothing is left open at the end of these lines."""
    if _continued(line):
        return False
    try:
        words = _lexed(_protected(line))
    except ValueError:
        return False
    opened = [at for at, word in enumerate(words) if word.startswith("(") and at and words[at - 1].endswith("=")]
    return not opened or any(word.startswith(")") for word in words[opened[-1] :])


def _lexed(line: str) -> list[str]:
    lexer = shlex.shlex(line, posix=True, punctuation_chars=";&|<>()\n")
    lexer.whitespace = " \t\r"
    lexer.whitespace_split = True
    lexer.commenters = ""
    return [word.strip("\n") or word for word in lexer]


def _protected(line: str) -> str:
    """Mark what quotes protect, take comments away, and put a mark for each substituted command."""
    made, at, quote = list[str](), 0, ""
    while at < len(line):
        char = line[at]
        if quote == "'":
            made.append(LITERAL_DOLLAR if char in "$`" else char)
            quote = "" if char == "'" else quote
        elif char == "\\" and at + 1 < len(line):
            made.append(LITERAL_DOLLAR if line[at + 1] in "$`" else line[at : at + 2])
            at += 1
        elif line.startswith("$(", at) or char == "`" or (not quote and line[at : at + 2] in ("<(", ">(")):
            at = _closing(line, at)
            made.append(SUBSTITUTED)
        elif char == "$":
            made.append(QUOTED_DOLLAR if quote else char)
        elif char == "#" and not quote and (at == 0 or line[at - 1] in " \t\n;"):
            at = line.find("\n", at) - 1
            if at < 0:
                break
        elif not quote and char.isdigit() and line[at + 1 : at + 2] in ("<", ">") and line[at - 1 : at] in (" ", "\t"):
            pass  # the number of a stream that is redirected
        else:
            quote = ("" if quote == char else quote or char) if char in "'\"" else quote
            made.append(char)
        at += 1
    return "".join(made)


def _closing(line: str, at: int) -> int:
    """Where a substituted command that begins at `at` ends. Raises ValueError if it does not."""
    if line[at] == "`":
        return line.index("`", at + 1)
    depth = 0
    for place in range(at + 1, len(line)):
        depth += (line[place] == "(") - (line[place] == ")")
        if depth == 0:
            return place
    raise ValueError("a substituted command is not closed")


def _commands(number: int, logical: str) -> Iterator[_Simple]:
    """The simple commands of a line: cut at operators, redirections kept apart; arrays stay in one piece."""
    words, outputs = list[str](), list[str]()
    array: list[str] | None = None
    redirect = ""
    for word in _lexed(_protected(logical)):
        operator = bool(word) and not word.strip(";&|<>()\n")
        if array is not None:
            if word.startswith(")"):
                words.append(f"{array[0]}\0" + "\0".join(array[1:]))
                array = None
            elif word.strip("\n"):
                array.append(word)
        elif word.startswith("(") and words and words[-1].endswith("="):
            array = [words.pop()]
        elif operator and ("<" in word or ">" in word):
            redirect = word
        elif operator:
            if words:
                yield _Simple(words, outputs, word)
            words, outputs, redirect = [], [], ""
        elif redirect:
            outputs += [word] if ">" in redirect and not re.fullmatch(r"\d+|-", word) else []  # 2>&1 and >&- name none
            redirect = ""
        else:
            words.append(word)
    if words:
        yield _Simple(words, outputs)


def _understood(state: _State, number: int, words: list[str]) -> Line | None:
    """Follow one command: assignments change the state, anything else is a line of the script."""
    state.depth += sum(word in ("if", "for", "while", "until", "case", "{") for word in words[:1])
    state.depth -= sum(word in ("fi", "done", "esac", "}") for word in words[:1])
    while words and words[0] in KEYWORDS:
        words = words[1:]
    state.unknown = {}
    declared = bool(words) and words[0] in DECLARING
    exports = bool(words) and (words[0] == "export" or (declared and "-x" in words[1:2]))
    rest = [word for word in words[1:] if not word.startswith("-")] if declared else words
    own: dict[str, str] = {}
    while rest and (found := ASSIGNMENT.fullmatch(rest[0])):
        _assign(state, own, found)
        rest = rest[1:]
    if declared or not rest:
        state.single.update(own)
        names = [*own, *(rest if declared else ())]
        state.exported.update(dict.fromkeys(names if exports or state.all_exported else ()))
        state.unsure.update(dict.fromkeys(own if state.depth > 0 else ()))
        return None
    if rest[0] == "set":
        state.all_exported = state.all_exported or any(word in ("-a", "allexport") for word in rest)
    argv = [part for word in rest for part in _put_in(state, word)]
    if not argv:
        return None
    changed = followed(argv, state.single)
    state.exported.update(dict.fromkeys(changed))
    state.unsure.update(dict.fromkeys(changed if state.depth > 0 else ()))
    env = state.env() | own
    unsure = tuple(name for name in env if name in state.unsure)
    known = (*state.single.items(), *own.items(), *((name, one) for name in state.arrays for one in state.arrays[name]))
    defaults = tuple(state.defaults.items())
    return Line(number, tuple(argv), tuple(env.items()), tuple(state.unknown), unsure, state.depth > 0, known, defaults)


def _assign(state: _State, own: dict[str, str], found: re.Match[str]) -> None:
    """NAME=value, NAME+=value, NAME=(words) or NAME+=(words)."""
    name, plus, value = found.groups()
    if "\0" in value:
        items = [part for word in value.split("\0")[1:] for part in _put_in(state, word)]
        state.arrays[name] = [*state.arrays.get(name, []), *items] if plus else items
        return
    before = (own.get(name) or state.single.get(name, "")) if plus else ""
    own[name] = before + _joined(state, value)
    state.arrays.pop(name, None)


def _joined(state: _State, word: str) -> str:
    return _plain(REFERENCE.sub(lambda found: " ".join(_value(state, found)), word))


def _put_in(state: _State, word: str) -> list[str]:
    """The words that one word becomes; only a variable outside of quotes is split."""
    whole = REFERENCE.fullmatch(word)
    if whole and (whole[4] or whole[2] in ("@", "*")):
        return [_plain(part) for part in _value(state, whole)]
    if whole and whole[1] == "$":
        try:
            return shlex.split(_plain(" ".join(_value(state, whole))))
        except ValueError as error:
            raise NotReadableError(f"the words of {_plain(word)} cannot be told apart ({error})") from error
    if SUBSTITUTED in word:
        state.unknown["$(...)"] = None
    return [_joined(state, word)]


def _value(state: _State, found: re.Match[str]) -> list[str]:
    """What a variable holds; one that the script does not set stays as it is written."""
    name = found[2] or found[3]
    if found[4] or name in state.arrays:
        return state.arrays.get(name, [])
    if name in ("@", "*"):
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


def _plain(text: str) -> str:
    """The text without marks."""
    return text.replace(LITERAL_DOLLAR, "$").replace(QUOTED_DOLLAR, "$").replace(SUBSTITUTED, "$(...)")
