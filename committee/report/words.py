"""How numbers, names and times are written for people. Pure; the only place where the report formats numbers."""

import math
import re

from committee.report.phrases import Phrase

MINUS = "\u2212"
UNITS = {  # of every metric of the bench; empty for a plain ratio or count
    "total_tok_s": "tok/s", "user_tok_s": "tok/s", "streaming_tok_s": "tok/s", "ttft_ms": "ms", "ttft_p95_ms": "ms",
    "cold_ttft_ms": "ms", "warm_ttft_ms": "ms", "nested_ttft_ms": "ms", "nested_warmth": "", "prefill_tok_s": "tok/s",
    "growth_exponent": "", "cached_tokens": "tokens", "cost_ratio": "", "probe_ttft_ms": "ms",
    "probe_alone_ttft_ms": "ms", "probe_done_share": "", "documents_done_s": "s", "longest_gap_ms": "ms",
    "failures": "", "growth_mib_h": "MiB/h", "growth_low_mib_h": "MiB/h", "growth_high_mib_h": "MiB/h",
    "descriptors_h": "1/h", "tool_auto_ok": "", "tool_required_ok": "", "tool_call_ms": "ms",
    "vision_tokens": "tokens", "identical_alone_share": "", "identical_loaded_share": "", "incoherent": "",
}  # fmt: skip
SHORT_ID = 10  # digits of a hash that people compare by eye


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


def span(low_pct: float, high_pct: float) -> Phrase:
    """An interval in percent."""
    return Phrase("span", low=signed(low_pct), high=signed(high_pct))


def metric_words(metric: str, load: int) -> Phrase:
    """A metric at a load, as a person would say it."""
    return Phrase("metric_at_one" if load == 1 else "metric_at_many", metric=metric_name(metric), load=load)


def metric_name(metric: str) -> str:
    """A metric as a person would say it; one not known here by its own name."""
    name, _, size = metric.partition("@")
    known = Phrase(f"metric_{name}") if name in UNITS else name
    return Phrase("metric_of_size", metric=known, size=size) if size else known


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


def minutes(seconds: float) -> Phrase:
    """A duration for people."""
    if seconds < 90:
        return Phrase("seconds", n=number(seconds, 0))
    return Phrase("minutes", n=number(seconds / 60))


def change_pct(log_ratio: float) -> float:
    """A log-ratio as a change in percent."""
    return 100.0 * math.expm1(log_ratio)
