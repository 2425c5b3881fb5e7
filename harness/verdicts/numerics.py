"""The third axis: temperature-0 text of an arm against the baseline's (lesson M6)."""

from collections.abc import Sequence

from harness.vocabulary.outcome import Numerics

Texts = tuple[str, ...]


def numerics(controls: Sequence[Texts | None], arm: Sequence[Texts | None]) -> Numerics:
    """IDENTICAL if every launch wrote the same texts, CHANGED if only the arm's differ, else UNKNOWN.

    `controls` holds the texts of every baseline and placebo launch, `arm` those of the arm's launches. If the
    controls differ among themselves, in one block or across blocks, or a text is missing, nothing can be said.
    """
    known = [texts for texts in controls if texts]
    if len(known) < 2 or len(known) < len(controls) or len(set(known)) > 1:
        return Numerics.UNKNOWN
    if not arm or not all(arm):
        return Numerics.UNKNOWN
    return Numerics.IDENTICAL if set(arm) == set(known) else Numerics.CHANGED
