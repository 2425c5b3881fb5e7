"""What changes in a program's words from start to start and means nothing: its clock, the day, its own number."""

import re

CLOCK = re.compile(
    r"\d+(?:\.\d{3}){2,3}"  # llama.cpp's own: minutes.seconds.milliseconds.microseconds
    r"|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?|(?:\d\d-\d\d )?\d\d:\d\d:\d\d(?:[.,]\d+)?"
    r"|\bpid[= ]\d+",
)
AT = "..."


def without_clock(text: str) -> str:
    """The words with every clock reading, date and process number as `...`: two starts that fail alike read alike."""
    return CLOCK.sub(AT, text)
