"""Time limit: a prompt whose prefill takes longer than a limit of the engine, so that the limit shows itself (S5).

A limit of 300 s killed an engine on whose server a 128K prefill took 500 s. An answer that comes sooner than the limit
proves nothing, and is said to prove nothing.
"""

from harness.client.record import RequestRecord
from harness.client.stream import Ask, Client, Door, send
from harness.protocols.base import Asked, ProtocolOutcome, Surroundings, invalid, number, spoilt
from harness.protocols.prompts import document, load_prompt
from harness.protocols.ruler import measure_ruler, off_label, rulerless
from harness.vocabulary.criteria import Criteria
from harness.vocabulary.loads import TimeLimit
from harness.vocabulary.outcome import Metric as Name
from harness.vocabulary.outcome import Reason

# A failure counts as the limit's when it comes at the limit or somewhat later: watchdogs look only now and then.
EARLIEST, LATEST = 0.9, 1.5
ALIVE_TOKENS, ALIVE_TIMEOUT_S = 16, 60.0


async def time_limit(
    client: Client, door: Door, criteria: Criteria, prompt_seed: int, _surroundings: Surroundings
) -> ProtocolOutcome:
    """One long prompt; where it fails, one short request says whether the engine outlived it."""
    settings = criteria.time_limit or TimeLimit()
    measured = await measure_ruler(client, door, prompt_seed, settings.request_timeout_s)
    if measured.ruler is None:
        return rulerless(measured)
    prompt = document(prompt_seed, "time-limit", measured.ruler.words(settings.length))
    record = await send(client, door, Ask(prompt, settings.tokens, settings.request_timeout_s))
    after = None
    if not record.ok:
        after = await send(client, door, Ask(load_prompt(prompt_seed, 0, 0), ALIVE_TOKENS, ALIVE_TIMEOUT_S))
    return outcome(record, after, settings, measured.asked)


def outcome(
    record: RequestRecord, after: RequestRecord | None, settings: TimeLimit, before: tuple[Asked, ...] = ()
) -> ProtocolOutcome:
    """The time to the first token where it is beyond the limit, or what stood in the way; pure."""
    asked = [*before, Asked("the long prompt", record), *([Asked("the request after it", after)] if after else [])]
    if (bad := spoilt(asked)) is not None:
        took_s = record.t_end - record.t_send
        if not EARLIEST * settings.limit_s <= took_s <= LATEST * settings.limit_s:
            return bad
        outlived = "still answers" if after is not None and after.ok else "answers no more"
        said = f"the engine gave up after {took_s:.1f} s, its limit is {settings.limit_s:g} s, and it {outlived}"
        return invalid(Reason.TIME_LIMIT, f"{said}: {record.detail}", asked)
    if (off := off_label(record, settings.length)) is not None:
        return invalid(Reason.WRONG_LENGTH, off, asked)
    first_s = record.ttft_ms / 1000
    if first_s <= settings.limit_s:
        said = f"the first token came after {first_s:.1f} s, within the limit of {settings.limit_s:g} s"
        return invalid(Reason.NOT_REACHED, f"{said}, so that nothing is shown; make the prompt longer", asked)
    finding = f"a prefill of {first_s:.1f} s was served, longer than {settings.limit_s:g} s"
    metrics = number(Name.COLD_TTFT_MS, 1, [record.ttft_ms])
    return ProtocolOutcome(metrics, None, "", tuple(one.record for one in asked), findings=(finding,))
