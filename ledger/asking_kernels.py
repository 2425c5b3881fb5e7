"""What `committee ask kernel NAME` answers: verdicts of the kernel bench on a task or an arm, never a server's."""

from dataclasses import dataclass

from ledger.asking import MOST
from ledger.entries import KernelRun, KernelVerdict
from ledger.store import Ledger


@dataclass(frozen=True)
class KernelJudged:
    """One verdict of the kernel bench."""

    seq: int
    time: str
    task: str
    arm_name: str
    shape: str
    mode: str
    device: str
    validity: str
    speed: str | None
    estimate_pct: float | None
    reason: str
    run: str
    proposal: str | None  # none for a task that was compared by itself

    @property
    def words(self) -> str:
        """One line."""
        change = "" if self.estimate_pct is None else f" {self.estimate_pct:+.1f} %"
        where = f" at {self.shape} {self.mode}".rstrip() if self.shape else ""
        about = f", {self.proposal}" if self.proposal else ""
        said = f": {self.reason}" if self.reason else ""
        return (
            f"#{self.seq} {self.time[:10]} {self.arm_name} of task {self.task}{where}: {self.speed or self.validity}"
            f"{change} (kernel alone on {self.device or 'no device'}{about}){said}"
        )


def kernel_verdicts_on(ledger: Ledger, name: str) -> tuple[KernelJudged, ...]:
    """Verdicts on a task, an arm or a proposal of that name, newest first."""
    proposals = {run.run: run.proposal for _, run in ledger.of(KernelRun)}
    by_task = ledger.of(KernelVerdict, task=name) or ledger.of(KernelVerdict, arm_name=name)
    found = by_task or [one for one in ledger.of(KernelVerdict) if proposals.get(one[1].run) == name]
    return tuple(
        KernelJudged(
            entry.seq,
            entry.time,
            one.task,
            one.arm_name,
            one.shape,
            one.mode,
            one.device,
            one.validity,
            one.speed,
            one.estimate_pct,
            one.reason,
            one.run,
            proposals.get(one.run),
        )
        for entry, one in reversed(found[-MOST:])
    )


def kernel_names(ledger: Ledger) -> tuple[str, ...]:
    """Tasks and arms that have a verdict."""
    every = [one for _, one in ledger.of(KernelVerdict)]
    return tuple(sorted({one.task for one in every} | {one.arm_name for one in every}))
