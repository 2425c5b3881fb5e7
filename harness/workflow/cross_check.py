"""What a protocol's numbers are held against once it has run: the model's own tokenizer, and the client itself."""

from dataclasses import replace

from harness.client.counting import check_counts
from harness.client.prompt_count import check_prompts
from harness.client.stream import ClientLoad, Door
from harness.protocols import ProtocolOutcome


async def cross_checked(trial: ProtocolOutcome, load: ClientLoad, door: Door, tokenizer: str) -> ProtocolOutcome:
    """The trial with what the client cost, and without numbers where the server's counts are not the tokenizer's.

    `tokenizer` is the path that the target's file names; empty: counts rest on the server's usage alone.
    """
    trial = replace(trial, client=load, findings=(*trial.findings, load.sentence))
    if not tokenizer or trial.reason is not None:
        return trial
    check = await check_counts(door, tokenizer, trial.records)
    for said in (check, None if check.reason else await check_prompts(door, tokenizer, trial.records)):
        if said is not None and said.reason is not None:
            return replace(trial, metrics=(), reason=said.reason, detail=said.sentence)
        if said is not None:
            trial = replace(trial, findings=(*trial.findings, said.sentence))
    return trial
