"""Pure: hypotheses whose words were withheld, as what still counts of them: who, what effect, on which arm."""

from collections.abc import Iterable

from committee.report.evidence import Stamped
from ledger.entries import Hypothesis, KeptPrediction, Tombstone
from ledger.store import Entry


def as_told(kept: KeptPrediction) -> Hypothesis:
    """The hypothesis without its words."""
    return Hypothesis(
        hypothesis=kept.hypothesis,
        run=kept.run,
        reviewer=kept.reviewer,
        mechanism="",
        prediction=kept.prediction,
        prediction_sha256=kept.prediction_sha256,
        falsifier="",
        citations=(),
        arm=None,
        arm_fingerprint=kept.arm_fingerprint,
        not_runnable=None,
    )


def wordless(entries: Iterable[Entry]) -> tuple[Stamped[Hypothesis], ...]:
    """Of these entries the withheld hypotheses, with the stamp of their own entry, in order."""
    listed = list(entries)
    marks = [entry.payload for entry in listed if isinstance(entry.payload, Tombstone)]
    kept = {one.entry: one for mark in marks for one in mark.predictions}
    return tuple(
        Stamped(entry.seq, entry.id, entry.time, entry.actor, as_told(kept[entry.id]))
        for entry in listed
        if entry.id in kept
    )
