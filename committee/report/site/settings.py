"""Pure: every verdict on one flag, variable or file, ever."""

from dataclasses import dataclass

from committee.report.entries import doubt_marks
from committee.report.evidence import Stamped
from committee.report.history import History
from committee.report.phrases import Phrase
from committee.report.plot_rows import number_words
from committee.report.plots import Chart, Interval, interval_plot
from committee.report.site.record import Record
from committee.report.today import measured_before
from committee.report.words import day
from ledger.entries import Verdict

DRAWN = 40  # newest verdicts on a primary metric in the chart; the table holds all


@dataclass(frozen=True)
class SettingRow:
    """One verdict on an arm that sets it."""

    time: str
    seq: int
    value: str
    beside: tuple[str, ...]  # what else the arm sets
    verdict: Verdict
    marks: tuple[str, ...]


@dataclass(frozen=True)
class SettingPage:
    """One setting."""

    name: str
    rows: tuple[SettingRow, ...]  # newest first

    @property
    def chart(self) -> Chart | None:
        """The newest numbers on a primary metric, one axis."""
        shown = [row for row in self.rows if row.verdict.primary and row.verdict.interval][:DRAWN]
        if not shown:
            return None
        return interval_plot(
            [
                Interval(
                    name=f"{self.name} = {row.value}",
                    verdict=row.verdict,
                    words=number_words(row.verdict),
                    note=f"{day(row.time)} {row.verdict.target}",
                )
                for row in shown
            ],
            Phrase("axis_of_intervals"),
            Phrase("setting_described", name=self.name),
        )


def setting_names(history: History) -> tuple[str, ...]:
    """Everything that any arm sets, by name."""
    return tuple(sorted({setting.name for item in history.arms for setting in item.payload.settings}))


def setting_pages(record: Record) -> tuple[SettingPage, ...]:
    """A page for each."""
    found: dict[str, dict[str, SettingRow]] = {name: {} for name in setting_names(record.history)}
    arms = {(item.payload.fingerprint, item.payload.target): item.payload for item in record.history.arms}
    for (fingerprint, target), arm in arms.items():
        for item in record.verdicts_by_arm.get(fingerprint, ()):
            if item.payload.target != target:
                continue
            marks = _marks(record, item)
            for setting in arm.settings:
                beside = tuple(f"{one.name} = {one.value}" for one in arm.settings if one != setting)
                row = SettingRow(item.time, item.seq, setting.value, beside, item.payload, marks)
                found[setting.name][item.id] = row
    return tuple(
        SettingPage(name, tuple(sorted(rows.values(), key=lambda row: row.seq, reverse=True)))
        for name, rows in found.items()
    )


def _marks(record: Record, item: Stamped[Verdict]) -> tuple[str, ...]:
    verdict, view = item.payload, record.views.run(item.payload.run)
    marks: list[str] = [*doubt_marks(record.history, item.id)]
    if view is not None:
        marks += view.labels
        changed = measured_before(record.history, verdict, view)
        if changed is not None and verdict.interval is not None:
            marks.append(Phrase("measured_before", arm=changed.payload.arm_name, day=day(changed.time)))
        if view.void and view.ended:
            marks.append(Phrase("supports_no_verdict", outcome=view.ended.payload.outcome))
    later = record.views.overturning(verdict)
    if later is not None:
        marks.append(Phrase("overturned_by", arm=verdict.arm_name, day=day(later.begun.time)))
    return tuple(marks)
