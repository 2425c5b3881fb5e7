"""Numerics: temperature-0 texts of three prompts, sent one at a time. Comparing them is the verdict's work (M6).

One of them is long enough to be the coherence probe as well, so that a launch costs no tokens twice.
"""

from collections.abc import Sequence

from harness.client.record import RequestRecord
from harness.client.stream import Ask, Client, Door, send
from harness.gates.base import GateOutcome, failed, held
from harness.gates.coherent import PROBE_TOKENS
from harness.vocabulary.outcome import GateName

# Openings that a base model continues fluently and a chat model answers at length; the first one is the probe.
PROMPTS = (
    "The history of the lighthouse begins in the year 1782, when the merchants of the town decided that",
    "Water boils at a lower temperature on a high mountain because",
    "def fibonacci(n):\n    if n < 2:\n        return n\n",
)
SHORT_TOKENS = 24  # a changed sum usually changes a text within a dozen tokens; more would cost measuring time


async def numerics_records(client: Client, door: Door, timeout_s: float) -> tuple[RequestRecord, ...]:
    """One record a prompt, in order; stops after the first that failed."""
    records: list[RequestRecord] = []
    for index, prompt in enumerate(PROMPTS):
        tokens = SHORT_TOKENS if index else PROBE_TOKENS
        records.append(await send(client, door, Ask(prompt, tokens, timeout_s)))
        if not records[-1].ok:
            break
    return tuple(records)


def protocol_texts(own: Sequence[str], more: Sequence[str]) -> GateOutcome:
    """The gate once more, where the protocol made texts at temperature 0 too: both are compared in the verdict."""
    texts = (*own, *more)
    return held(GateName.IDENTICAL, f"{len(texts)} texts at temperature 0, {len(more)} of the protocol", texts)


def check_numerics(records: Sequence[RequestRecord]) -> GateOutcome:
    """Whether every text came; it carries them. That they equal the baseline's is not known inside one launch."""
    texts = tuple(record.text for record in records)
    broken = next((record for record in records if record.reason is not None), None)
    if broken is not None and broken.reason is not None:
        detail = f"a temperature-0 text did not come: {broken.detail}"
        return failed(GateName.IDENTICAL, broken.reason, detail, texts)
    return held(GateName.IDENTICAL, f"{len(texts)} texts at temperature 0, compared in the verdict", texts)
