"""What a protocol's numbers are held against once it has run: the model's own tokenizer, and the client itself."""

from dataclasses import replace

from harness.client.counting import check_counts
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
    if check.reason is not None:
        return replace(trial, metrics=(), reason=check.reason, detail=check.sentence)
    return replace(trial, findings=(*trial.findings, check.sentence))
