"""Why an arm of the kernel bench is not accepted: a faster kernel is no faster server yet (M12). Only reads."""

from ledger.entries import KernelRun
from ledger.store import Ledger


def only_on_bench(ledger: Ledger, proposal: str, arm: str) -> str | None:
    """One sentence where the bench of a proposal knows an arm of that name, none where it does not."""
    if not any(arm in run.arms for _, run in ledger.of(KernelRun, proposal=proposal)):
        return None
    return (
        f"{arm!r} was measured on the kernel bench alone, and a faster kernel is not yet a faster server: measure the "
        f"arm of the server that puts it in (arms/*.toml of {proposal!r}), and accept that one"
    )
