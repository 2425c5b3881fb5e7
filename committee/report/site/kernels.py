"""Pure: a page for each task of the kernel bench: every run with its verdicts, times of kernels alone."""

from dataclasses import dataclass

from committee.report.entries import doubt_marks
from committee.report.history import History, Stamped, grouped
from committee.report.phrases import Phrase
from committee.report.plots import Chart, Interval, interval_plot
from committee.report.site.record import Record
from committee.report.words import percent, span
from ledger.entries import KernelRun, KernelVerdict

DRAWN = 40  # verdicts with a number in the chart of the newest run


@dataclass(frozen=True)
class Timed:
    """One verdict and what is said against it."""

    item: Stamped[KernelVerdict]
    marks: tuple[str, ...]

    @property
    def change(self) -> str:
        """Change of calls a second with its bounds, empty without a number."""
        told = self.item.payload
        if told.estimate_pct is None or told.low_pct is None or told.high_pct is None:
            return ""
        return f"{percent(told.estimate_pct)} {span(told.low_pct, told.high_pct)}"


@dataclass(frozen=True)
class BenchRun:
    """One run of the bench."""

    name: str
    time: str
    seq: int
    device: str
    task_sha256: str
    begun: Stamped[KernelRun] | None  # none where the bench ran for no proposal
    verdicts: tuple[Timed, ...]
    marks: tuple[str, ...]


@dataclass(frozen=True)
class KernelPage:
    """One task."""

    name: str
    runs: tuple[BenchRun, ...]  # newest first

    @property
    def chart(self) -> Chart | None:
        """The newest run's numbers on one axis."""
        shown = [one.item.payload for run in self.runs[:1] for one in run.verdicts if _number(one.item.payload)]
        if not shown:
            return None
        return interval_plot(
            [
                Interval(
                    name=one.arm_name,
                    verdict=None,
                    words=" ".join(part for part in (percent(one.estimate_pct or 0.0), one.speed) if part),
                    note=" ".join(part for part in (one.shape, one.mode) if part),
                    measured=one,
                    speed=one.speed or "",
                )
                for one in shown[:DRAWN]
            ],
            Phrase("axis_of_kernels"),
            Phrase("kernels_described", task=self.name),
        )


def kernel_pages(record: Record) -> tuple[KernelPage, ...]:
    """A page for each task that was ever timed or tried."""
    history = record.history
    verdicts = grouped(history.kernel_verdicts, lambda item: (item.payload.task, item.payload.run))
    begun = {(item.payload.task, item.payload.run): item for item in history.kernel_runs}
    found: dict[str, list[BenchRun]] = {}
    for task, run in bench_runs(history):
        told = tuple(Timed(item, doubt_marks(history, item.id)) for item in verdicts.get((task, run), ()))
        found.setdefault(task, []).append(_run(record, run, begun.get((task, run)), told))
    return tuple(
        KernelPage(task, tuple(sorted(runs, key=lambda run: run.seq, reverse=True)))
        for task, runs in sorted(found.items())
    )


def bench_runs(history: History) -> tuple[tuple[str, str], ...]:
    """Every task with each of its runs, also those that were begun for no proposal."""
    begun = [(item.payload.task, item.payload.run) for item in history.kernel_runs]
    timed = [(item.payload.task, item.payload.run) for item in history.kernel_verdicts]
    return tuple(dict.fromkeys((*begun, *timed)))


def _number(verdict: KernelVerdict) -> bool:
    return None not in (verdict.estimate_pct, verdict.low_pct, verdict.high_pct)


def _run(record: Record, name: str, begun: Stamped[KernelRun] | None, told: tuple[Timed, ...]) -> BenchRun:
    first = begun or told[0].item
    made = first.payload
    return BenchRun(
        name=name,
        time=first.time,
        seq=first.seq,
        device=made.device,
        task_sha256=made.task_sha256,
        begun=begun,
        verdicts=told,
        marks=doubt_marks(record.history, begun.id) if begun else (),
    )
