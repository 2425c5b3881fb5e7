"""Quality: how alike an arm's texts are to the baseline's, where criteria named a quality gate beforehand. Pure.

Likeness is `difflib`'s ratio over words, 1 for equal texts. It says "about the same thing in the same words", not "as
good": a person reads the texts, which are kept.
"""

from collections.abc import Sequence
from difflib import SequenceMatcher
from statistics import fmean

from harness.gates.base import GateOutcome, failed, held
from harness.vocabulary.outcome import GateName, Reason


def likeness(text: str, baseline: str) -> float:
    """0 to 1 over words; two empty texts are alike."""
    return SequenceMatcher(None, text.split(), baseline.split(), autojunk=False).ratio()


def check_quality(texts: Sequence[str], baseline: Sequence[str], least: float) -> GateOutcome:
    """Mean likeness of texts to the baseline's, prompt by prompt, against the least that was written beforehand."""
    if not texts or len(texts) != len(baseline):
        detail = f"{len(texts)} texts cannot be compared with {len(baseline)} of the baseline"
        return failed(GateName.QUALITY, Reason.QUALITY_BELOW, detail)
    mean = fmean(likeness(one, other) for one, other in zip(texts, baseline, strict=True))
    evidence = f"mean likeness to the baseline's texts {mean:.3f}, {least:.3f} needed"
    if mean >= least:
        return held(GateName.QUALITY, evidence)
    return failed(GateName.QUALITY, Reason.QUALITY_BELOW, evidence)
