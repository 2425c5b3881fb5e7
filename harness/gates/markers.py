"""Markers of the target in the server's own log, k of k workers (lesson A4). Pure.

A marker's pattern may have a group `worker`: then different workers are counted, not lines. A group `pid` must name a
process of the server's own tree.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from harness.gates.running import Running
from harness.vocabulary.outcome import Reason
from harness.vocabulary.target import Armed, Target


@dataclass(frozen=True)
class MarkerCount:
    """How often one marker stands in the server's own log."""

    marker: str
    count: int  # lines, or different workers where the pattern names them
    needed: int
    foreign: tuple[int, ...] = ()  # processes named by it that are not of the server's tree
    lines: int = 0  # on which it stands, whoever wrote them

    @property
    def sentence(self) -> str:
        """The count in words."""
        return f"marker {self.marker!r} stands {self.count} times, {self.needed} needed"


def marker_counts(target: Target, log: str, pids: frozenset[int] = frozenset()) -> tuple[MarkerCount, ...]:
    """Each marker of the target as it stands in the log; `pids` is the server's tree, empty where it is not known."""
    return tuple(_counted(armed, log, pids) for armed in target.armed)


def missing_markers(target: Target, log: str) -> tuple[str, ...]:
    """One sentence for each marker that does not stand as often as it must, k of k."""
    return tuple(count.sentence for count in marker_counts(target, log) if count.count != count.needed)


def marker_fault(target: Target, baseline: bool, log: str, running: Running) -> tuple[Reason, str] | None:
    """Why the markers do not prove that the server is armed, as reason and sentence; none if they do."""
    faults: list[tuple[Reason, str]] = []
    for index, count in enumerate(marker_counts(target, log, running.pids)):
        if count.foreign:
            said = f"{count.sentence}, and pids {list(count.foreign)} that it names are not this server's"
            faults.append((Reason.MARKER_ELSEWHERE, said))
        elif count.count != count.needed:
            faults.append(_fault(count, baseline, _elsewhere(running, index)))
    if not faults:
        return None
    return faults[0][0], "; ".join(said for _, said in faults)


def _fault(count: MarkerCount, baseline: bool, elsewhere: Sequence[str]) -> tuple[Reason, str]:
    if 0 < count.count < count.needed <= count.lines:
        said = f"{count.sentence}, and on {count.lines} lines: some worker says it twice and another never"
        return Reason.MARKED_TWICE, said
    if 0 < count.count < count.needed:
        return Reason.PARTLY_ARMED, f"{count.sentence}: armed on some workers only"
    if count.count == 0 and elsewhere:
        return Reason.MARKER_ELSEWHERE, f"{count.sentence} in its own log; it stands in {', '.join(elsewhere)}"
    return (Reason.BASELINE_UNARMED if baseline else Reason.NOT_ARMED), count.sentence


def _elsewhere(running: Running, index: int) -> tuple[str, ...]:
    return tuple(f"{log.path!r} ({log.counts[index]} times)" for log in running.other_logs if log.counts[index])


def _counted(armed: Armed, log: str, pids: frozenset[int]) -> MarkerCount:
    pattern = re.compile(armed.marker, re.MULTILINE)
    found = list(pattern.finditer(log))
    groups = pattern.groupindex
    count = len({match["worker"] for match in found}) if "worker" in groups else len(found)
    named = {int(match["pid"]) for match in found if match["pid"].isdigit()} if "pid" in groups and pids else set()
    return MarkerCount(armed.marker, count, armed.count, tuple(sorted(named - pids)), len(found))
