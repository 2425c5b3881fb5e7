"""Rates and times of requests that ran together: pure. docs/measuring.md defines each metric."""

import math
from collections.abc import Sequence
from statistics import fmean

from harness.client.record import RequestRecord

# The rate while all stream is read from the window in which every stream is open; a window that holds less than this
# share of a step's tokens is an accident of scheduling, not a rate.
MIN_WINDOW_SHARE = 0.25


def user_tok_s(step: Sequence[RequestRecord]) -> float | None:
    """Mean over users of each one's own rate; none where an answer came in one event."""
    rates = [rate for record in step if (rate := record.user_tok_s) is not None]
    return fmean(rates) if len(rates) == len(step) else None


def total_tok_s(step: Sequence[RequestRecord]) -> float | None:
    """All tokens of the step over the wall clock from the first request sent to the last token."""
    span_s = max(record.t_last for record in step) - min(record.t_send for record in step)
    return sum(record.tokens for record in step) / span_s if span_s > 0 else None


def streaming_tok_s(step: Sequence[RequestRecord]) -> float | None:
    """Tokens stamped while every stream is open, over that time; none where the streams hardly overlap."""
    return windowed_tok_s(step, max(record.t_first for record in step), min(record.t_last for record in step))


def windowed_tok_s(step: Sequence[RequestRecord], opened: float, closed: float) -> float | None:
    """Tokens stamped in a window, over its length; none where it holds too small a share of them."""
    inside = sum(record.weight * sum(opened < at <= closed for at in record.stamps) for record in step)
    if closed <= opened or inside < MIN_WINDOW_SHARE * sum(record.tokens for record in step):
        return None
    return inside / (closed - opened)


def nearest_rank(values: Sequence[float], share: float) -> float:
    """The smallest value that at least this share of all values does not exceed. Raises ValueError without values."""
    if not values:
        raise ValueError("a quantile needs at least one value")
    return sorted(values)[max(math.ceil(share * len(values)), 1) - 1]


def p95_ttft_ms(records: Sequence[RequestRecord]) -> float:
    """The time to first token that 95 of 100 requests do not exceed, milliseconds; with fewer than 20, the longest."""
    return nearest_rank([record.ttft_ms for record in records], 0.95)


def prefill_s(records: Sequence[RequestRecord]) -> float:
    """From the first request sent until the last user has his first token, seconds."""
    return max(record.t_first for record in records) - min(record.t_send for record in records)
