"""Coherence from both sides: answers of forced length show loops, answers of free length show next to nothing (M2).

An engine that is told "exactly 256 tokens" cannot give a two-token answer, so a free answer is asked for as well.
"""

from collections.abc import Sequence

from harness.client.record import RequestRecord
from harness.client.stream import Ask, Client, Door, send
from harness.gates.coherent import check_coherent
from harness.protocols.base import Asked, ProtocolOutcome, Surroundings, invalid, number
from harness.protocols.prompts import load_prompt
from harness.protocols.rates import user_tok_s
from harness.vocabulary.criteria import Criteria
from harness.vocabulary.loads import Coherence
from harness.vocabulary.outcome import Metric as Name
from harness.vocabulary.outcome import Reason

LONG = " Tell the whole story in at least three hundred words:"  # a free answer has to want to be long


async def coherence(
    client: Client, door: Door, criteria: Criteria, prompt_seed: int, _surroundings: Surroundings
) -> ProtocolOutcome:
    """Each prompt with a forced length, then with a free one, one after the other."""
    settings = criteria.coherence or Coherence()
    forced: list[RequestRecord] = []
    free: list[RequestRecord] = []
    for index in range(settings.prompts):
        prompt = load_prompt(prompt_seed, 0, index)
        forced.append(await send(client, door, Ask(prompt, settings.tokens, settings.request_timeout_s)))
        if settings.free:
            ask = Ask(f"{prompt}{LONG}", settings.tokens, settings.request_timeout_s, exact=False)
            free.append(await send(client, door, ask))
    return outcome(forced, free, settings.max_incoherent)


def outcome(forced: Sequence[RequestRecord], free: Sequence[RequestRecord], most: int) -> ProtocolOutcome:
    """How many answers the coherence gate refuses, each with its own reason; pure."""
    asked = [
        Asked(f"prompt {index}, {how} length", record)
        for how, records in (("forced", forced), ("free", free))
        for index, record in enumerate(records)
    ]
    refused = [(one.place, gate) for one in asked if not (gate := check_coherent(one.record)).passed]
    findings = tuple(f"{place}: {gate.evidence}" for place, gate in refused)
    if len(refused) > most or len(refused) == len(asked):
        reason = refused[0][1].reason or Reason.DEGENERATE
        return invalid(reason, f"{len(refused)} of {len(asked)} answers are not coherent; {findings[0]}", asked)
    good = [record for record in forced if record.ok]
    metrics = (
        *number(Name.USER_TOK_S, 1, [user_tok_s(good) if good else None]),
        *number(Name.INCOHERENT, 1, [float(len(refused))]),
    )
    return ProtocolOutcome(metrics, None, "", tuple(one.record for one in asked), findings=findings)
