"""Capability: a named check that may fail on the baseline and hold on an arm (lesson A6b)."""

from harness.client.record import RequestRecord
from harness.client.stream import Ask, Client, Door, send
from harness.gates.base import GateOutcome, failed, held
from harness.vocabulary.criteria import Capability
from harness.vocabulary.outcome import GateName, Reason

ANSWER_TOKENS = 16  # long enough to be an answer, short beside the prompt
WORD = "stone "  # one token in every tokenizer met so far; the server's own count decides
MARGIN = 1.02  # the prompt is made 2 % longer than asked, for tokenizers that join words


async def check_capability(
    client: Client, door: Door, capability: Capability, timeout_s: float
) -> tuple[GateOutcome, RequestRecord]:
    """`context_tokens`: a prompt of that many tokens, counted by the server's tokenizer (M7), is answered.

    The record travels along because its tokens belong to the isolation check.
    """
    prompt = "A list of words follows. " + WORD * int(capability.value * MARGIN)
    record = await send(client, door, Ask(prompt, ANSWER_TOKENS, timeout_s))
    return judge_capability(capability, record), record


def judge_capability(capability: Capability, record: RequestRecord) -> GateOutcome:
    """The gate on the record of the long prompt; pure."""
    if not record.ok:
        return failed(GateName.CAPABILITY, Reason.CAPABILITY_MISSING, f"not answered: {record.detail}")
    if record.prompt_tokens < capability.value:
        detail = f"the server counted {record.prompt_tokens} prompt tokens, {capability.value} needed"
        return failed(GateName.CAPABILITY, Reason.CAPABILITY_MISSING, detail)
    return held(GateName.CAPABILITY, f"a prompt of {record.prompt_tokens} tokens was answered")
