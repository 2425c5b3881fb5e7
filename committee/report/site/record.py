"""Everything that pages are made of, derived once from a history."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from committee.report.entries import DatedEntry, every_entry
from committee.report.following import followed_entries
from committee.report.history import History, Stamped, grouped
from committee.report.lines import Line, Question, questions
from committee.report.outlook import NOTHING_KNOWN, Outlook
from committee.report.runs import Runs, run_views
from ledger.entries import Verdict


@dataclass(frozen=True)
class Content:
    """What one page is made of."""

    kind: str
    name: str  # empty for pages of which there is one
    inputs: object


@dataclass(frozen=True)
class Record:
    """A history with its runs, questions and dated entries."""

    history: History
    views: Runs
    questions: tuple[Question, ...]
    entries: tuple[DatedEntry, ...]  # newest first

    @classmethod
    def of(cls, history: History, outlook: Outlook = NOTHING_KNOWN) -> "Record":
        """Derive it."""
        views = run_views(history)
        found = [*every_entry(history, views), *followed_entries(history)]
        entries = sorted(found, key=lambda entry: entry.seq, reverse=True)
        return cls(history, views, questions(history, views, outlook), tuple(entries))

    @cached_property
    def about(self) -> dict[str | None, tuple[DatedEntry, ...]]:
        """Dated entries by proposal."""
        return grouped(self.entries, lambda entry: entry.about)

    @cached_property
    def by_target(self) -> dict[str | None, tuple[DatedEntry, ...]]:
        """Dated entries by target."""
        return grouped(self.entries, lambda entry: entry.target)

    @cached_property
    def asked(self) -> dict[str | None, tuple[Question, ...]]:
        """Questions by proposal."""
        return grouped(self.questions, lambda question: question.proposal)

    @cached_property
    def targets(self) -> tuple[str, ...]:
        """Every target that anything is on record about."""
        named = [question.target for question in self.questions]
        named += [item.payload.target for item in self.history.states]
        named += [item.payload.target for item in self.history.references]
        return tuple(sorted(dict.fromkeys([*named, *(item.payload.target for item in self.history.acceptances)])))

    @cached_property
    def reviewers(self) -> tuple[str, ...]:
        """Everybody who was ever asked, by name: the order says nothing about merit."""
        return tuple(sorted({seat.name for item in self.history.review_runs for seat in item.payload.reviewers}))

    @cached_property
    def verdicts_by_arm(self) -> dict[str, tuple[Stamped[Verdict], ...]]:
        """Verdicts by fingerprint of the arm."""
        return grouped(self.history.verdicts, lambda item: item.payload.arm)

    @cached_property
    def numbers(self) -> dict[tuple[str, str, int], tuple[Stamped[Verdict], ...]]:
        """Verdicts by arm, metric and load."""
        return grouped(self.history.verdicts, lambda item: (item.payload.arm, item.payload.metric, item.payload.load))

    @property
    def lines(self) -> Sequence[tuple[Question, Line]]:
        """Every line with its question."""
        return [(question, line) for question in self.questions for line in question.lines]
