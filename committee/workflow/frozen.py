"""From a revision in the ledger to what nodes need. The folder on disk may have changed since; this has not."""

import tempfile
from dataclasses import dataclass
from pathlib import Path

from committee.proposals.folder import ARMS, CRITERIA, HEADER, TEXT, load
from committee.pull.knobs import Earlier, earlier_of, known_of
from committee.review.prompt import Subject
from committee.vocabulary.proposal import FrozenRevision, LoadedProposal
from harness.vocabulary.target import Target
from ledger.entries import ReviewRun, Verdict
from ledger.store import Ledger

READ = (HEADER, TEXT, CRITERIA, ARMS)  # what loading looks at; sources and evidence may be large
SHOWN_VERDICTS = 12  # of the target, newest first; a prompt stays small


def loaded(revision: FrozenRevision) -> LoadedProposal:
    """The revision's header, criteria and arms. Raises BadFileError with one sentence."""
    with tempfile.TemporaryDirectory(prefix="committee-revision-") as scratch:
        folder = Path(scratch) / revision.proposal
        folder.mkdir()
        for path, content in revision.files:
            if not path.startswith(READ):
                continue
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)
        return load(folder)


@dataclass(frozen=True)
class Verdicts:
    """What the ledger says of a target's changes (lesson C7)."""

    lines: tuple[str, ...]  # one for each newest primary verdict
    of_knobs: Earlier


def verdicts_of(ledger: Ledger, target: str) -> Verdicts:
    """What reviewers are shown of what was measured on a target."""
    return Verdicts(_earlier_lines(ledger, target), earlier_of(ledger, target))


def subject_of(revision: FrozenRevision, known: LoadedProposal, target: Target, verdicts: Verdicts) -> Subject:
    """What reviewers are shown of a revision."""
    return Subject(
        revision=revision,
        title=known.header.title,
        question=known.header.question,
        target=target,
        loads=known.criteria.settings.loads,
        metrics=known.criteria.metrics,
        earlier=verdicts.lines,
        known=known_of(verdicts.of_knobs, dict(revision.files), target),
    )


def _earlier_lines(ledger: Ledger, target: str) -> tuple[str, ...]:
    found = [verdict for _, verdict in ledger.of(Verdict, target=target, primary=True)]
    return tuple(_line(verdict) for verdict in found[::-1][:SHOWN_VERDICTS])


def review_run(ledger: Ledger, run: str) -> ReviewRun | None:
    """The run's beginning as recorded, none if nothing was begun."""
    found = ledger.of(ReviewRun, run=run)
    return found[0][1] if found else None


def _line(verdict: Verdict) -> str:
    change = f" ({verdict.interval.estimate_pct:+.1f} %)" if verdict.interval else ""
    outcome = verdict.speed or verdict.validity
    return f"{verdict.arm_name}: {verdict.metric} @ {verdict.load} {outcome}{change}, {verdict.numerics}"
