"""Isolated: the engine counted exactly the tokens that the harness asked for, so nobody else was served. Pure."""

from collections.abc import Sequence

from harness.adapters.base import Counters
from harness.client.record import RequestRecord
from harness.gates.base import GateOutcome, failed, held
from harness.vocabulary.outcome import GateName, Reason


def check_isolated(
    before: Counters | None, after: Counters | None, records: Sequence[RequestRecord]
) -> GateOutcome | None:
    """The gate over `records`, all requests sent between the two readings; none if the engine publishes no counters.

    Engines publish no count of requests that all of them share, so tokens of prompts and of answers are compared.
    """
    if before is None or after is None:
        return None
    cached = 0 if after.counts_cached else sum(record.cached_tokens for record in records)
    sent = sum(record.prompt_tokens for record in records) - cached, sum(record.tokens for record in records)
    counted = after.prompt_tokens - before.prompt_tokens, after.generated_tokens - before.generated_tokens
    if counted != sent:
        return failed(
            GateName.ISOLATED,
            Reason.STRANGER,
            f"the engine counted {counted[0]} prompt and {counted[1]} generated tokens, the harness {sent[0]} and "
            f"{sent[1]}: somebody else was served",
        )
    return held(GateName.ISOLATED, f"{counted[0]} prompt and {counted[1]} generated tokens, all of them ours")
