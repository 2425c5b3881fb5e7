"""Pure: runs of the kernel bench as the page shows them, apart from every figure of a server (lesson M12)."""

from dataclasses import dataclass

from committee.report.evidence import Stamped
from committee.report.history import History
from committee.report.kernel_table import change, time_us
from committee.report.phrases import Phrase
from ledger.entries import KernelRun, KernelVerdict

OUTCOMES = ("measured", "compiled", "input_wrong", "void", "incomplete")  # each has a sentence of its own


@dataclass(frozen=True)
class KernelRow:
    """One arm at one shape in one mode."""

    verdict: KernelVerdict

    @property
    def word(self) -> str:
        """Its speed, or why it has none."""
        return self.verdict.speed or self.verdict.validity

    @property
    def change(self) -> str:
        """Change of calls a second."""
        return change(self.verdict)

    @property
    def time_us(self) -> str:
        """Median time of a call."""
        return time_us(self.verdict)


@dataclass(frozen=True)
class KernelView:
    """One run with its rows, timed ones first."""

    run: Stamped[KernelRun]
    rows: tuple[KernelRow, ...]

    @property
    def outcome(self) -> str:
        """How far it came, in the page's words."""
        return Phrase(f"kernel_{self.run.payload.outcome}")

    @property
    def wrong(self) -> int:
        """Known-wrong arms that were caught."""
        return sum(one.found == one.expected for one in self.run.payload.wrong)


def kernel_views(history: History) -> tuple[KernelView, ...]:
    """Every run of the bench for a proposal, newest first."""
    rows: dict[str, list[KernelVerdict]] = {}
    for item in history.kernel_verdicts:
        rows.setdefault(item.payload.run, []).append(item.payload)
    return tuple(
        KernelView(run, tuple(KernelRow(one) for one in sorted(rows.get(run.payload.run, ()), key=_untimed_last)))
        for run in reversed(history.kernel_runs)
    )


def _untimed_last(verdict: KernelVerdict) -> bool:
    return verdict.time_us is None
