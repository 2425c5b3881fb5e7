"""Pure: the site's page of each reviewer: what was proposed, what of it held, how sure they were.

It stands here and is handed to the report, so that nothing of the report's can read a score, let alone rank by it.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from committee.report.claims import predicted_words
from committee.report.history import grouped
from committee.report.phrases import Phrase
from committee.report.plot_rows import number_words
from committee.report.plots import Chart, Interval, interval_plot
from committee.report.site.record import Content, Record
from committee.score.predictions import Outcome, Scored, score
from committee.score.predictions import Record as Score
from committee.score.predictions import record as scored_together
from committee.score.withheld import gone
from ledger.entries import Hypothesis, Verdict

DRAWN = 40  # newest decided predictions in the chart; the table holds all
ORDER = (Outcome.CONFIRMED, Outcome.REFUTED, Outcome.UNDECIDED, Outcome.NOT_MEASURED)


@dataclass(frozen=True)
class Told:
    """One prediction and what became of it."""

    seq: int
    time: str
    proposal: str
    scored: Scored
    arm: str

    @property
    def predicted(self) -> Phrase:
        """In words."""
        return predicted_words(self.scored.hypothesis)

    @property
    def outcome(self) -> Phrase:
        """In words."""
        return Phrase(f"outcome_{self.scored.outcome.value}")

    @property
    def measured(self) -> str:
        """In words, empty where there is no number."""
        return number_words(self.scored.verdict) if self.scored.verdict else ""


@dataclass(frozen=True)
class ReviewerPage:
    """One reviewer over everything recorded."""

    name: str
    score: Score
    complete: int
    excluded: tuple[tuple[str, int], ...]  # reason and how often
    told: tuple[Told, ...]  # what held first, then newest first
    gone: int = 0  # hypotheses that were withheld with their numbers: in no count

    @property
    def chart(self) -> Chart | None:
        """Claimed and measured on one axis."""
        shown = [one for one in self.told if one.scored.verdict is not None][:DRAWN]
        if not shown:
            return None
        return interval_plot(
            [
                Interval(
                    name=one.arm,
                    verdict=one.scored.verdict,
                    words=Phrase("named", name=one.outcome, words=one.measured),
                    claimed=(one.scored.hypothesis.prediction.low_pct, one.scored.hypothesis.prediction.high_pct),
                    note=one.proposal,
                )
                for one in shown
            ],
            Phrase("axis_of_intervals"),
            Phrase("reviewer_described", name=self.name),
        )


def reviewer_contents(record: Record) -> Iterable[Content]:
    """A page for each, as the site takes it."""
    return (Content("reviewer", page.name, page) for page in reviewer_pages(record))


def reviewer_pages(record: Record) -> tuple[ReviewerPage, ...]:
    """A page for everybody who was ever asked."""
    told = grouped(_told(record), lambda one: one.scored.hypothesis.reviewer)
    complete = grouped(record.history.reviews, lambda item: item.payload.reviewer)
    excluded = grouped(record.history.exclusions, lambda item: item.payload.reviewer)
    known = [item.payload for item in (*record.history.hypotheses, *record.history.wordless)]
    lost = gone((item.payload for item in record.history.reviews), known)
    return tuple(
        ReviewerPage(
            name=name,
            score=scored_together(name, (one.scored for one in told.get(name, ()))),
            complete=len(complete.get(name, ())),
            excluded=tuple(
                (reason, len(found))
                for reason, found in sorted(grouped(excluded.get(name, ()), lambda item: item.payload.reason).items())
            ),
            told=tuple(sorted(told.get(name, ()), key=lambda one: (ORDER.index(one.scored.outcome), -one.seq))),
            gone=lost[name],
        )
        for name in record.reviewers
    )


def _told(record: Record) -> list[Told]:
    """Every prediction, held against verdicts of completed runs on its target that were begun after it."""
    history = record.history
    targets = {item.payload.proposal: item.payload.target for item in history.proposals}
    runs = {item.payload.run: item.payload for item in history.review_runs if item.payload.round != "without_comments"}
    found = []
    for item in (*history.hypotheses, *history.wordless):
        run = runs.get(item.payload.run)
        if run is None:  # what was said without comments is said twice and counts once
            continue
        verdicts = _after(record, item.seq, item.payload, targets.get(run.proposal))
        arm = history.arm_name(item.payload.arm_fingerprint) if item.payload.arm_fingerprint else Phrase("no_arm")
        scored = replace(score(item.payload, verdicts), withheld=item in history.wordless)
        found.append(Told(item.seq, item.time, run.proposal, scored, arm))
    return found


def _after(record: Record, seq: int, told: Hypothesis, target: str | None) -> list[Verdict]:
    found = []
    said = told.prediction
    for item in record.numbers.get((told.arm_fingerprint or "", said.metric, said.load), ()):
        view = record.views.run(item.payload.run)
        done = view is not None and view.ended is not None and not view.void
        if done and view is not None and view.begun.seq > seq and item.payload.target == target:
            found.append(item.payload)
    return found
