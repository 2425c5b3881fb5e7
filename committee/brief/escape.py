"""Text of reviewers, authors and logs is data: in Markdown it may form nothing but text on one line. Pure."""

import re
import unicodedata

# Every character that can begin emphasis, code, a link, an image, raw HTML, an entity, a table cell, a heading, a
# strike-through or a formula. CommonMark lets each be escaped; the others cannot act inside a line that is ours.
ACTIVE = re.compile(r"([\\`*_\[\]<>#|~!&$])")
ADDRESS = re.compile(r"(?<=[A-Za-z])(:)(?=//)|(?<=www)(\.)", re.IGNORECASE)  # bare addresses become links otherwise
WORD_JOINER = "\u2060"  # invisible; keeps a@b from becoming a mail link, which no escape does
UNSEEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")  # controls, invisible and direction marks, no character at all


def one_line(text: str) -> str:
    """White space becomes single blanks; what cannot be seen is shown by its number."""
    seen = "".join(_seen(character) for character in text)
    return " ".join(seen.split())


def markdown(text: object) -> str:
    """`text` as one line of inert Markdown."""
    escaped = ACTIVE.sub(r"\\\1", one_line(str(text)))
    escaped = ADDRESS.sub(lambda match: f"\\{match.group(0)}", escaped)
    return escaped.replace("@", f"@{WORD_JOINER}")


def code(text: object) -> str:
    """`text` as a code span that it cannot leave."""
    line = one_line(str(text)) or " "
    fence = "`" * (max((len(run) for run in re.findall(r"`+", line)), default=0) + 1)
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def _seen(character: str) -> str:
    if character.isspace() and character.isascii():
        return " "
    return f"<U+{ord(character):04X}>" if unicodedata.category(character) in UNSEEN else character
