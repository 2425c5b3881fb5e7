"""Pure: the text of a Prometheus endpoint, whatever stands in it. Odd lines are passed over, odd numbers named."""

import math
import re
from dataclasses import dataclass, field

NAME = re.compile(r"[A-Za-z_:][A-Za-z0-9_:]*")
NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?", re.ASCII)
TIME = re.compile(r"-?\d+", re.ASCII)
MOST_LINES = 100_000  # an engine with many histograms says some thousands
LONGEST_LINE = 10_000


@dataclass(frozen=True)
class Exposition:
    """What a text says."""

    values: dict[str, float] = field(default_factory=dict)  # finite samples, summed over labels
    unread: tuple[str, ...] = ()  # names of samples whose value is no finite number
    silent: str = ""  # why there was no text to read, empty where there was one


def exposition(text: str) -> Exposition:
    """Read a text, format 0.0.4: `name{labels} value [time]`. Raises nothing, whatever the text is."""
    values, unread = dict[str, float](), dict[str, None]()
    for line in text.split("\n", MOST_LINES)[:MOST_LINES]:
        sample = _sample(line)
        if sample is None:
            continue
        name, word = sample
        total = values.get(name, 0.0) + (float(word) if NUMBER.fullmatch(word) else math.nan)
        if math.isfinite(total):
            values[name] = total
        else:
            unread[name] = None
    return Exposition({name: value for name, value in values.items() if name not in unread}, tuple(unread))


def _sample(line: str) -> tuple[str, str] | None:
    """Name and value of a line that has the shape of a sample."""
    line = line.strip()
    named = NAME.match(line)
    if named is None or len(line) > LONGEST_LINE:
        return None
    rest = line[named.end() :]
    if rest.startswith("{"):
        labels, end, rest = rest.rpartition("}")
        if not end or not labels:
            return None
    elif not rest[:1].isspace():
        return None
    words = rest.split()
    if not words or len(words) > 2 or (len(words) == 2 and not TIME.fullmatch(words[1])):
        return None
    return named.group(), words[0]
