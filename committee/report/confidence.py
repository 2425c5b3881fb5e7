"""Pure: the level of the bounds that a table shows, said once for it in the report's words."""

from collections.abc import Iterable

from committee.report.lines import Question
from committee.report.phrases import Phrase
from committee.report.runs import RunView
from harness.verdicts.confidence import confidence_of
from ledger.entries import Verdict


def bounds_words(verdicts: Iterable[Verdict]) -> str:
    """Of the bounds of these verdicts; empty where none has any."""
    found = confidence_of(verdicts)
    return Phrase("bounds_words", each=found.each, both=found.both) if found else ""


def bounds_of_run(view: RunView) -> str:
    """Of the numbers of a run's arms."""
    return bounds_words(item.payload for item in view.primary)


def bounds_of_lines(questions: Iterable[Question]) -> str:
    """Of the numbers that the lines of these questions show."""
    return bounds_words(line.verdict for asked in questions for line in asked.lines if line.verdict is not None)
