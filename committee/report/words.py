"""How numbers, names and times are written for people. Pure; the only place where the report formats anything."""

import math
import re
import unicodedata

MINUS = "\u2212"
_NAMES: tuple[tuple[str, str, str], ...] = (  # metric, its words, its unit
    ("total_tok_s", "total rate", "tok/s"),
    ("user_tok_s", "rate per user", "tok/s"),
    ("streaming_tok_s", "rate while all stream", "tok/s"),
    ("ttft_ms", "time to first token", "ms"),
    ("ttft_p95_ms", "time to first token of 95 in 100", "ms"),
    ("cold_ttft_ms", "cold time to first token", "ms"),
    ("warm_ttft_ms", "warm time to first token", "ms"),
    ("nested_ttft_ms", "nested time to first token", "ms"),
    ("nested_warmth", "cold over nested time", ""),
    ("prefill_tok_s", "rate of reading prompts", "tok/s"),
    ("growth_exponent", "exponent of growth", ""),
    ("cached_tokens", "cached prompt tokens", "tokens"),
    ("cost_ratio", "cost of one document for all over one user", ""),
    ("probe_ttft_ms", "probe's time to first token beside documents", "ms"),
    ("probe_alone_ttft_ms", "probe's time to first token alone", "ms"),
    ("probe_done_share", "probe's end over the documents'", ""),
    ("documents_done_s", "time until all documents are done", "s"),
    ("longest_gap_ms", "longest time without a token", "ms"),
    ("failures", "failed requests", ""),
    ("growth_mib_h", "growth of memory", "MiB/h"),
    ("growth_low_mib_h", "growth of memory, lower bound", "MiB/h"),
    ("growth_high_mib_h", "growth of memory, upper bound", "MiB/h"),
    ("descriptors_h", "growth of descriptors", "1/h"),
    ("tool_auto_ok", "right tool calls of eight with auto", ""),
    ("tool_required_ok", "right tool calls of eight with required", ""),
    ("tool_call_ms", "time of a tool call", "ms"),
    ("vision_tokens", "prompt tokens of a picture", "tokens"),
    ("identical_alone_share", "share of identical texts alone", ""),
    ("identical_loaded_share", "share of identical texts under load", ""),
    ("incoherent", "incoherent answers", ""),
)
UNITS = {name: unit for name, _, unit in _NAMES}
METRICS = {name: said for name, said, _ in _NAMES}
SHORT_ID = 10  # digits of a hash that people compare by eye
CLEANED = frozenset({"Cc", "Cf", "Cs", "Cn", "Zl", "Zp"})  # control, format, unpaired, unassigned; line separators


def clean(text: str) -> str:
    """Text from outside without control, direction, separator or unassigned characters; line breaks and tabs stay."""
    return "".join(char if char in "\n\t" or unicodedata.category(char) not in CLEANED else "\ufffd" for char in text)


def number(value: float, digits: int = 1) -> str:
    """A plain number with a true minus sign and no negative zero."""
    rounded = round(value, digits) + 0.0
    return f"{rounded:.{digits}f}".replace("-", MINUS)


def exact(value: float) -> str:
    """A number that a person wrote, as short as it was written."""
    return f"{value:g}".replace("-", MINUS)


def signed(value: float, digits: int = 1) -> str:
    """A number that always shows its sign, except zero."""
    shown = number(value, digits)
    return f"+{shown}" if round(value, digits) > 0 else shown


def percent(value: float) -> str:
    """A change in percent: one digit, its sign, a space before the sign as SI asks."""
    return f"{signed(value)} %"


def span(low_pct: float, high_pct: float) -> str:
    """An interval in percent."""
    return f"{signed(low_pct)} to {signed(high_pct)} %"


def metric_words(metric: str, load: int) -> str:
    """A metric at a load, as a person would say it."""
    users = "1 user" if load == 1 else f"{load} users"
    name, _, size = metric.partition("@")
    of_size = f" of size {size}" if size else ""
    return f"{METRICS.get(name, name)}{of_size} at {users}"


def quantity(value: float, metric: str) -> str:
    """A measured value: three significant digits at least, one decimal at most."""
    digits = 1 if abs(value) < 1000 else 0
    return number(value, digits)


def unit(metric: str) -> str:
    """The metric's unit, empty for a metric not known here."""
    return UNITS.get(metric.partition("@")[0], "")


def day(time: str) -> str:
    """The date of an ISO 8601 time."""
    return time[:10]


def minute(time: str) -> str:
    """Date and time to the minute, with the zone where it is UTC."""
    found = re.match(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)", time)
    if not found:
        return time
    zone = " UTC" if re.search(r"(Z|\+00:?00)$", time) else ""
    return f"{found.group(1)} {found.group(2)}{zone}"


def short(identifier: str) -> str:
    """The first digits of a hash."""
    return identifier[:SHORT_ID]


def minutes(seconds: float) -> str:
    """A duration for people."""
    if seconds < 90:
        return f"{number(seconds, 0)} s"
    return f"{number(seconds / 60)} min"


def plural(count: int, noun: str, many: str | None = None) -> str:
    """A count with its noun."""
    return f"{count} {noun if count == 1 else many or noun + 's'}"


def change_pct(log_ratio: float) -> float:
    """A log-ratio as a change in percent."""
    return 100.0 * math.expm1(log_ratio)
