"""Isolated: before, during and after a load the engine served nobody but the harness. Pure.

Tokens are compared exactly between two readings at rest; requests that ended where the engine counts them; requests
that run or wait at every sample taken during the load.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from harness.adapters.base import Counters, EngineReport
from harness.client.record import RequestRecord
from harness.gates.base import GateOutcome, failed, held
from harness.vocabulary.outcome import GateName, Reason

# An engine may still count a request a moment after its last byte came: vLLM publishes once a step, and a step with a
# long prompt in it takes seconds. A stranger is served for longer than that, or is seen in the exact count of tokens.
LAG_S = 3.0


@dataclass(frozen=True)
class Sample:
    """One reading of the counters during a load; times as in `RequestRecord`."""

    t_asked: float
    t_answered: float
    counters: Counters


@dataclass(frozen=True)
class Unseen:
    """One look during a load that gave no counters, and why; times as in `Sample`."""

    t_asked: float
    t_answered: float
    why: str


Look = Sample | Unseen


def check_isolated(
    before: Counters | None,
    after: Counters | None,
    records: Sequence[RequestRecord],
    looks: Sequence[Look] = (),
) -> GateOutcome | None:
    """The gate over `records`, all requests sent between the two readings; none if the engine publishes no counters.

    Prompt tokens taken from a cache are counted by some engines and not by others; the adapter says which.
    """
    if before is None or after is None:
        return None
    samples = [look for look in looks if isinstance(look, Sample)]
    if after.prompt_tokens < before.prompt_tokens or after.generated_tokens < before.generated_tokens:
        said = "the engine's counters went back during the load, so nothing is shown: it started anew, or lost count"
        return failed(GateName.ISOLATED, Reason.COUNTERS_RESET, said)
    for complaint in (_busy(before), _during(samples, records), _ended(before, after, records)):
        if complaint:
            return failed(GateName.ISOLATED, Reason.STRANGER, complaint)
    cached = 0 if after.counts_cached else sum(record.cached_tokens for record in records)
    sent = sum(record.prompt_tokens for record in records) - cached, sum(record.tokens for record in records)
    counted = after.prompt_tokens - before.prompt_tokens, after.generated_tokens - before.generated_tokens
    if counted != sent:
        said = (
            f"the engine counted {counted[0]} prompt and {counted[1]} generated tokens, the harness {sent[0]} and "
            f"{sent[1]}"
        )
        if counted[0] < sent[0] or counted[1] < sent[1]:
            said += ": it lost count or started anew in between, so nothing is shown"
            return failed(GateName.ISOLATED, Reason.COUNTERS_RESET, said)
        if before.requests is not None and after.requests == before.requests + len(records):
            said += ", and ended no request but ours: its counters and the usage of its answers disagree"
            reason = Reason.PROMPT_COUNT if counted[1] == sent[1] else Reason.COUNT_MISMATCH
            return failed(GateName.ISOLATED, reason, said)
        return failed(GateName.ISOLATED, Reason.STRANGER, f"{said}: somebody else was served")
    said = f"{counted[0]} prompt and {counted[1]} generated tokens, all of them ours"
    return held(GateName.ISOLATED, said + _looked(looks))


def _looked(looks: Sequence[Look]) -> str:
    """What the looks during a load gave, in words."""
    blind = [look for look in looks if isinstance(look, Unseen)]
    seen = len(looks) - len(blind)
    said = f"; never more than ours in {seen} looks during the load" if seen else ""
    return f"{said}; {len(blind)} looks gave no counters, the first because {blind[0].why}" if blind else said


def without_counters(report: EngineReport, counted: Sequence[str]) -> GateOutcome:
    """The gate where the criteria ask for it and the engine's report has no counters."""
    if odd := [name for name in counted if name in report.unread]:
        said = f"the engine's {odd[0]} is no finite number, so nothing can be shown"
        return failed(GateName.ISOLATED, Reason.COUNTERS_UNREADABLE, said)
    if report.silent:
        said = f"the engine's counters were asked for and did not come ({report.silent}), so nothing can be shown"
        return failed(GateName.ISOLATED, Reason.NO_PROOF, said)
    return failed(GateName.ISOLATED, Reason.NO_PROOF, "the engine publishes no counters, so nothing can be shown")


def _busy(before: Counters) -> str | None:
    """Somebody was being served before the harness sent its first request."""
    there = (before.running or 0) + (before.waiting or 0)
    return f"{there} requests were running or waiting before the load began: somebody else is served" if there else None


def _during(samples: Sequence[Sample], records: Sequence[RequestRecord]) -> str | None:
    """The first sample in which more requests ran or waited than the harness had open."""
    for sample in samples:
        there = (sample.counters.running or 0) + (sample.counters.waiting or 0)
        ours = sum(one.t_send <= sample.t_answered and sample.t_asked <= one.t_end + LAG_S for one in records)
        if there > ours:
            return f"{there} requests were running or waiting during the load, of ours {ours}: somebody else is served"
    return None


def _ended(before: Counters, after: Counters, records: Sequence[RequestRecord]) -> str | None:
    """More requests ended than were sent; fewer may be a matter of when the engine publishes."""
    if before.requests is None or after.requests is None or after.requests - before.requests <= len(records):
        return None
    counted = after.requests - before.requests
    return f"the engine counted {counted} requests, the harness sent {len(records)}: somebody else was served"
