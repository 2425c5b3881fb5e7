"""Pure: how busy the machine was while a run measured, as the quiet gate's evidence says it of every launch."""

import re
from collections.abc import Iterable
from statistics import median

from committee.report.phrases import Phrase, counted
from committee.report.words import number
from harness.vocabulary.outcome import Reason
from ledger.entries import Gate

OTHERS = re.compile(r"others used ([\d.]+) % of \d+ cores")  # as the quiet gate words it
LOAD = re.compile(r" cores, load ([\d.e+-]+)")
BUSY_PCT = 10.0  # of all cores, used by others during one load: from here on it is said where the target sets no limit


def other_shares(gates: Iterable[Gate]) -> tuple[float, ...]:
    """What others used of all cores during each load, percent; of gates that say it."""
    return _all(OTHERS, gates)


def busyness(gates: Iterable[Gate]) -> str:
    """One line about a run from its quiet gates, with a warning where it was too busy; empty where none says anything.

    Too busy is what the target's `[quiet]` refused, or others on a tenth of the cores.
    """
    read = tuple(gates)
    loads, others = _all(LOAD, read), other_shares(read)
    if not loads or not others:
        return ""
    words = Phrase("machine_words", load=number(median(loads)), worst=number(max(loads)),
                   others=number(median(others)), most=number(max(others)))  # fmt: skip
    refused = sum(gate.reason == Reason.NOT_QUIET for gate in read)
    if refused:
        return Phrase("machine_refused", words=words, launches=counted("launches", refused))
    return Phrase("machine_busy", words=words) if max(others) >= BUSY_PCT else words


def _all(pattern: re.Pattern[str], gates: Iterable[Gate]) -> tuple[float, ...]:
    found = (pattern.search(gate.evidence) for gate in gates)
    return tuple(float(one[1]) for one in found if one)
