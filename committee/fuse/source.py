"""Source text without comments, and without formatting: what two patches have in common when only their style differs.

Pure. Kinds of files are told by their suffix; of an unknown kind nothing is taken away but blanks at line ends.
"""

import io
import re
import tokenize
from pathlib import PurePosixPath

C_LIKE = frozenset(
    {".c", ".cc", ".cpp", ".cxx", ".cu", ".cuh", ".h", ".hh", ".hpp", ".inl", ".hip", ".cl", ".metal", ".rs", ".js"}
)
PYTHON = frozenset({".py", ".pyi", ".pyx"})
HASHED = frozenset({".toml", ".sh", ".bash", ".yaml", ".yml", ".cfg", ".cmake", ".mk"})
MARKED = frozenset({".md", ".html", ".xml"})

_STRING = r'"(?:\\.|[^"\\\n])*"'
_C_TEXT = (
    r'R"(?P<d>[^()\\\s]{0,16})\((?:.|\n)*?(?:\)(?P=d)"|\Z)' + rf"|{_STRING}|(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+'"
)  # a quote after a digit separates thousands
_C = re.compile(rf"(?P<kept>{_C_TEXT})|//(?:\\\r?\n|[^\n])*|/\*(?:.|\n)*?(?:\*/|\Z)")
_LONG = r'"""(?:\\.|[^\\])*?"""' + r"|'''(?:\\.|[^\\])*?'''"
_HASH = re.compile(rf"(?P<kept>{_LONG}|{_STRING}|'(?:\\.|[^'\\\n])*')|(?<![^\s;(){{}}\[\],=])#[^\n]*", re.DOTALL)
_MARK = re.compile(r"(?P<kept>\A(?!))|<!--.*?(?:-->|\Z)", re.DOTALL)
_TOKENS = re.compile(
    rf"{_C_TEXT}|[A-Za-z_]\w*|\.?\d(?:[\w.]|'\w|[eEpP][+-])*"
    r"|<<=|>>=|\.\.\.|<=>|->\*|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|::|##|\S"
)
_DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\r?\n|[^\n])*$", re.MULTILINE)
_SKIPPED = frozenset({tokenize.COMMENT, tokenize.NL, tokenize.ENCODING, tokenize.ENDMARKER})


def without_comments(path: str, text: str) -> str:
    """The text with its comments blanked out; every line keeps its number."""
    suffix = PurePosixPath(path).suffix.lower()
    for suffixes, pattern in ((C_LIKE, _C), (PYTHON | HASHED, _HASH), (MARKED, _MARK)):
        if suffix in suffixes:
            return pattern.sub(_blanked, text)
    return text


def plain(path: str, text: str) -> str:
    """The text without comments and formatting; equal for two texts that differ in style alone."""
    suffix = PurePosixPath(path).suffix.lower()
    if suffix in PYTHON:
        return _plain_python(text)
    bare = without_comments(path, text.replace("\r\n", "\n"))
    if suffix in C_LIKE:
        return _plain_c(bare)
    return "\n".join(line.rstrip() for line in bare.splitlines() if line.strip())


def _blanked(match: re.Match[str]) -> str:
    """A string stays; of a comment its line breaks stay, and a blank where it stood."""
    if match["kept"] is not None:
        return match[0]
    return " " + "\n" * match[0].count("\n")


def _plain_c(text: str) -> str:
    """Tokens with one blank between; a preprocessor line stays a line, because there a line break means something."""
    pieces: list[str] = []
    end = 0
    for directive in _DIRECTIVE.finditer(text):
        pieces += [_tokens(text[end : directive.start()]), _tokens(re.sub(r"\\\r?\n", " ", directive[0]))]
        end = directive.end()
    return "\n".join(piece for piece in (*pieces, _tokens(text[end:])) if piece)


def _tokens(text: str) -> str:
    return " ".join(match[0] for match in _TOKENS.finditer(text))


def _plain_python(text: str) -> str:
    """Tokens as Python reads them, depth of blocks included; lines as they are where it is no Python."""
    words: list[str] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type in _SKIPPED:
                continue
            marks = {tokenize.INDENT: "\x01", tokenize.DEDENT: "\x02", tokenize.NEWLINE: "\n"}
            words.append(marks.get(token.type, token.string))
    except (tokenize.TokenError, SyntaxError):
        return "\n".join(line.rstrip() for line in text.splitlines() if line.strip())
    return " ".join(words)
