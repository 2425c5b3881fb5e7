"""The engine's own words about why it failed, picked from its log: pure."""

import re

from harness.shortened import ending, shortened

# llama.cpp writes the level E after the time; Python programs write ERROR, or an exception's name and a colon.
TROUBLE = re.compile(
    r"(^\d+(\.\d+)+ E )|(\b(ERROR|FATAL|CRITICAL|error|fatal)\b)|(\b\w*(Error|Exception): )|(refused to start)"
)
STAMP = re.compile(r"^\d+(\.\d+)+ [A-Z] +")
MAX_WORDS = 300
MAX_LINES = 4


def engine_words(log: str) -> str:
    """The first distinct error lines of a log, without time stamps; its last line where none looks like an error."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    found = list(dict.fromkeys(STAMP.sub("", line) for line in lines if TROUBLE.search(line)))
    said = found[:MAX_LINES] or [STAMP.sub("", line) for line in lines[-1:]]
    return shortened(" | ".join(" ".join(line.split()) for line in said), MAX_WORDS) or "the log is empty"


def last_words(log: str) -> str:
    """As `engine_words`, from the end: what a server said when it died under load."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    found = [line for line in lines if TROUBLE.search(line)][-MAX_LINES:] or lines[-1:]
    said = " | ".join(" ".join(STAMP.sub("", line).split()) for line in found)
    return ending(said, MAX_WORDS) or "the log is empty"
