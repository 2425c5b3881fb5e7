"""The words of a shell script and the operators between them, as it is written: nothing is put in or run. Pure.

What quoting protects, and what only a shell could expand, is marked by private characters; `plain` takes them away.
"""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass

QUOTED_DOLLAR = "\ue000"  # a dollar inside double quotes: put in, not split
LITERAL_DOLLAR = "\ue001"  # a dollar inside single quotes, or an escaped one
SUBSTITUTED = "\ue002"  # $(...) or `...`: known only to a machine that runs it
PATTERNS = {"*": "\ue003", "?": "\ue004", "[": "\ue005", "{": "\ue006", "~": "\ue007"}  # outside quotes: expanded
QUOTED = {char: chr(0xE100 + ord(char)) for char in ";&|<>()"}  # operators that quotes make letters
PATTERN = re.compile(f"[{''.join(PATTERNS.values())}]")
BRACES = re.compile(r"\{[^\s{}'\"$]*(,|\.\.)[^\s{}]*\}")
OPERATOR = re.compile(r"&&|\|\||;;&?|;&|\|&|[|&;()\n]")
BEFORE_REDIRECTION = re.compile(r"(?:[;|()\n]|&(?!>))*")
COMPUTED = re.compile(r"\+\+|--|(?<![=!<>])=(?!=)")  # what sets a variable inside of ((...))
HERE = re.compile(r"(?<!<)<<(?!<)-?\s*['\"]?(\w+)['\"]?")
NO_WORD_BEFORE = " \t\n;&|()=:"
UNMARKED = {ord(mark): char for char, mark in (PATTERNS | QUOTED).items()} | {
    ord(LITERAL_DOLLAR): "$",
    ord(QUOTED_DOLLAR): "$",
    ord(SUBSTITUTED): "$(...)",
}


class NotReadableError(ValueError):
    """The script is not one that this reader understands; the message says what and where."""


@dataclass(frozen=True)
class Simple:
    """One simple command as it is written."""

    number: int  # line of the script on which it begins
    words: list[str]
    outputs: list[str]  # words after > or >>


def tokens(text: str) -> Iterator[Simple | str]:
    """Every simple command and every operator between them, a line's end too. Raises NotReadableError."""
    for number, logical in _logical_lines(text):
        yield from _commands(number, logical)
        yield "\n"


def plain(text: str) -> str:
    """The text without marks."""
    return text.translate(UNMARKED)


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
        for end in HERE.findall(line):
            while at < len(lines) and lines[at].strip() != end:
                at += 1
            if at == len(lines):
                raise NotReadableError(f"line {number} opens a here-document that is never closed")
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
    lists = [at for at, word in enumerate(words) if word.startswith("(") and at and words[at - 1].endswith("=")]
    opened = [at for at in lists if not words[at].startswith("()")]
    return not opened or any(word.startswith(")") for word in words[opened[-1] :])


def _lexed(line: str) -> list[str]:
    lexer = shlex.shlex(line, posix=True, punctuation_chars=";&|<>()\n")
    lexer.whitespace = " \t\r"
    lexer.whitespace_split = True
    lexer.commenters = ""
    return [word.strip("\n") or word for word in lexer]


def _protected(line: str) -> str:
    """Mark what quotes protect and what a shell expands, take comments away, mark each substituted command."""
    made, at, quote, inside = list[str](), 0, "", 0
    while at < len(line):
        char, behind = line[at], line[at + 1 : at + 2]
        if quote == "'":
            made.append(LITERAL_DOLLAR if char in "$`" else QUOTED.get(char, char))
            quote = "" if char == "'" else quote
        elif char == "\\" and behind:
            made.append(_escaped(behind, quote))
            at += 1
        elif line.startswith("$(", at) or char == "`" or (not quote and line[at : at + 2] in ("<(", ">(")):
            at = _closing(line, at)
            made.append(SUBSTITUTED)
        elif char == "$":
            inside += behind == "{"
            made.append((QUOTED_DOLLAR if quote else char) + (behind if behind and behind in "@*#?!$-{" else ""))
            at += bool(behind) and behind in "@*#?!$-{"
        elif char == "#" and not quote and (at == 0 or line[at - 1] in " \t\n;"):
            at = line.find("\n", at) - 1
            if at < 0:
                break
        elif not quote and char.isdigit() and behind in ("<", ">") and behind and line[at - 1 : at] in (" ", "\t"):
            pass  # the number of a stream that is redirected
        elif char in "'\"":
            quote = "" if quote == char else quote or char
            made.append(char)
        else:
            inside -= char == "}" and inside > 0
            made.append(QUOTED.get(char, char) if quote else char if inside else _expanded(line, at))
        at += 1
    return "".join(made)


def _escaped(char: str, quote: str) -> str:
    """What a backslash before the character makes of it."""
    if char in "$`":
        return LITERAL_DOLLAR
    if char in QUOTED:
        return ("\\" if quote else "") + QUOTED[char]
    return f"\\{char}"


def _expanded(line: str, at: int) -> str:
    """One character outside of quotes, marked if a shell puts something else in the place of its word."""
    char, before, behind = line[at], line[at - 1 : at] if at else "", line[at + 1 : at + 2]
    starts = not before or before in NO_WORD_BEFORE
    if char == "~" and starts:
        return "${HOME}" if not behind or behind in " \t\n/:;&|)" else PATTERNS[char]
    if char == "{":
        return PATTERNS[char] if BRACES.match(line, at) else char
    if char == "[":
        return char if before == "[" or not behind or behind in " \t\n[" else PATTERNS[char]
    return PATTERNS[char] if char in "*?" else char


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


def _commands(number: int, logical: str) -> Iterator[Simple | str]:
    """The simple commands of a line, redirections kept apart, and its operators; arrays stay in one piece."""
    words, outputs = list[str](), list[str]()
    array: list[str] | None = None
    redirect = ""
    for lexed in _lexed(_protected(logical)):
        word, operator = lexed, bool(lexed) and not lexed.strip(";&|<>()\n")
        if array is None and word.startswith("(") and words and words[-1].endswith("="):
            array, word = [words.pop()], word[1:]
            if not word:
                continue
        if array is not None:
            if not word.startswith(")"):
                array += [] if word and not word.strip("\n") else [word]
                continue
            words.append("".join(f"{part}\0" for part in array))
            array, word, operator = None, word[1:], True
        if operator:
            first = BEFORE_REDIRECTION.match(word) if "<" in word or ">" in word else None
            redirect = word[first.end() :] if first else ""
            cut = OPERATOR.findall(first[0] if first else word)
            if cut and words:
                yield Simple(number, words, outputs)
                words, outputs = [], []
            if word.startswith("((") and COMPUTED.search(logical[logical.find("((") :]):
                yield Simple(number, ["let"], [])
            yield from cut
        elif redirect:
            outputs += [word] if ">" in redirect and not re.fullmatch(r"\d+|-", word) else []  # 2>&1 and >&- name none
            redirect = ""
        else:
            words.append(word)
    if words:
        yield Simple(number, words, outputs)
