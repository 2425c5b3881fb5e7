"""Pure: which entries of a chain were edited, removed, moved or inserted, told from headers, ids and payload hashes.

An entry's own hash covers its sequence, so a moved entry still proves where it was written. Where the proof fails
at its present place, nearby places are tried before it is called edited.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from ledger.canonical import NotCanonicalError
from ledger.chain import GENESIS, Head, Header
from ledger.findings import Finding, FindingKind

REACH = 256  # places tried in each direction for an entry whose hash does not fit where it stands
SEARCHES = 40  # entries for which that is done; a file with more broken entries is broken, however it is called


@dataclass(frozen=True)
class StoredHeader:
    """One row of table `entry`, as it stands."""

    header: Header
    id: str
    payload_digest: str  # hash of the payload bytes as stored, empty when there are none

    @property
    def payload_is_whole(self) -> bool:
        """Whether the payload bytes give the hash that the header states."""
        return self.payload_digest == self.header.payload_sha256


@dataclass(frozen=True)
class Placed:
    """An entry with the place that its hash proves, or the place it takes for lack of proof."""

    stored: StoredHeader
    seq: int
    proved: bool

    @property
    def stands_at(self) -> int:
        """The sequence in its row now."""
        return self.stored.header.seq


@dataclass(frozen=True)
class ChainCheck:
    """What is wrong with the chain, and which entries can be trusted to give their projections."""

    findings: tuple[Finding, ...]
    placed: tuple[Placed, ...]  # without inserted ones, in the order they were written
    removed: tuple[range, ...]  # unbroken runs of sequences that are gone, ascending
    inserted: frozenset[int]  # present sequences of inserted rows

    @property
    def last(self) -> int:
        """The last sequence that the chain reaches."""
        return self.placed[-1].seq if self.placed else 0

    def lacks(self, seq: int) -> bool:
        """Whether this sequence is gone."""
        return any(seq in gap for gap in self.removed)


def check_chain(rows: Sequence[StoredHeader], head: Head | None, withheld: Collection[str] = frozenset()) -> ChainCheck:
    """Judge rows given in order of their present sequence; the head file helps to tell an insert at the end.

    `withheld` are ids of entries whose payloads a tombstone says are not here.
    """
    placed = _place(rows)
    inserted = _inserted(placed, head)
    kept = [one for one in placed if one.stands_at not in inserted]
    findings = [_finding_inserted(seq) for seq in sorted(inserted)]
    findings += _edited(kept, withheld) + _moved(kept)
    kept.sort(key=lambda one: one.seq)
    removed = _gaps(one.seq for one in kept)
    findings += [_finding_removed(gap) for gap in removed]
    findings += _rewritten(kept) + _backwards(kept)
    return ChainCheck(tuple(findings), tuple(kept), removed, frozenset(inserted))


def _fits(header: Header, entry_id: str) -> bool:
    try:
        return header.id() == entry_id
    except NotCanonicalError:
        return False


def _place(rows: Sequence[StoredHeader]) -> list[Placed]:
    placed, shift, searches = [], 0, SEARCHES
    for row in rows:
        seq = row.header.seq
        if _fits(row.header, row.id):
            placed.append(Placed(row, seq, True))
            shift = 0
            continue
        found = None
        if searches > 0:
            found = next((by for by in _shifts(shift) if _fits(replace(row.header, seq=seq + by), row.id)), None)
            searches -= found != shift
        shift = shift if found is None else found
        placed.append(Placed(row, seq + shift, found is not None))
    return placed


def _shifts(first: int) -> Iterator[int]:
    yield first
    for by in range(1, REACH + 1):
        yield by
        yield -by


def _inserted(placed: Sequence[Placed], head: Head | None) -> set[int]:
    """Of two entries that claim one place, the one the chain does not go through; at the end, one after the head."""
    linked = {one.stored.header.previous for one in placed}
    by_place = defaultdict(list)
    for one in placed:
        by_place[one.seq].append(one)

    def standing(one: Placed) -> tuple[bool, ...]:
        in_head = head is not None and one.stored.id == head.id
        return one.stored.id in linked, in_head, one.proved, one.seq != one.stands_at

    inserted: set[int] = set()
    for rivals in by_place.values():
        if len(rivals) > 1:
            inserted |= {one.stands_at for one in sorted(rivals, key=standing)[:-1]}
    if len(placed) > 1 and head is not None:
        before, last = placed[-2:]
        if not last.proved and (before.seq, before.stored.id) == (head.seq, head.id):
            inserted.add(last.stands_at)
    return inserted


def _edited(kept: Sequence[Placed], withheld: Collection[str]) -> list[Finding]:
    findings = []
    for one in kept:
        stored, where = one.stored, f"#{one.stands_at}"
        hash_edited = not one.proved and _fits(replace(stored.header, payload_sha256=stored.payload_digest), stored.id)
        if not one.proved:
            said = f"entry {where}: its header or id is not what was hashed when it was written"
            findings.append(Finding(FindingKind.EDITED_ENTRY, where, said))
        if stored.id in withheld and one.proved:
            findings.append(_finding_withheld(one))
        elif not stored.payload_is_whole and not hash_edited:
            said = f"entry {where}: its payload is not what was recorded"
            findings.append(Finding(FindingKind.EDITED_PAYLOAD, where, said))
    return findings


def _moved(kept: Sequence[Placed]) -> list[Finding]:
    """Entries out of order. A block that only closed a gap, or made room, keeps its order and is not named."""
    if all(first.seq < second.seq for first, second in pairwise(kept)):
        return []
    return [
        Finding(
            FindingKind.REORDERED_ENTRY,
            f"#{one.stands_at}",
            f"entry #{one.stands_at} was written as #{one.seq} and stands at another place now",
        )
        for one in kept
        if one.seq != one.stands_at
    ]


def _rewritten(kept: Sequence[Placed]) -> list[Finding]:
    """Links that do not hold although each entry is whole by itself: the earlier one was replaced."""
    findings = []
    if kept and kept[0].seq == 1 and kept[0].proved and kept[0].stored.header.previous != GENESIS:
        findings.append(Finding(FindingKind.EDITED_ENTRY, "#1", "entry #1 does not begin a chain"))
    for first, second in pairwise(kept):
        whole = first.proved and second.proved and second.seq == first.seq + 1
        if whole and second.stored.header.previous == first.stored.header.previous:
            said = f"entries #{first.seq} and #{second.seq} follow the same entry: a second writer forked the chain"
            findings.append(Finding(FindingKind.FORKED_ENTRY, f"#{second.seq}", said))
        elif whole and second.stored.header.previous != first.stored.id:
            said = f"entry #{first.seq} was replaced: entry #{second.seq} follows another one"
            findings.append(Finding(FindingKind.EDITED_ENTRY, f"#{first.seq}", said))
    return findings


def _backwards(kept: Sequence[Placed]) -> list[Finding]:
    return [
        Finding(
            FindingKind.CLOCK_BACKWARDS,
            f"#{second.seq}",
            f"entry #{second.seq} is dated before #{first.seq}: the clock was set back between them",
        )
        for first, second in pairwise(kept)
        if first.proved and second.proved and second.stored.header.time < first.stored.header.time
    ]


def _finding_withheld(one: Placed) -> Finding:
    where = f"#{one.stands_at}"
    if one.stored.payload_digest:
        said = f"entry {where}: a tombstone says its payload is withheld, but it is still there; withhold it again"
        return Finding(FindingKind.NOT_WITHHELD, where, said)
    return Finding(FindingKind.WITHHELD, where, f"entry {where}: its payload is withheld by a tombstone")


def _finding_inserted(seq: int) -> Finding:
    said = f"entry #{seq} was put into the table: the chain does not go through it"
    return Finding(FindingKind.INSERTED_ENTRY, f"#{seq}", said)


def _finding_removed(gap: range) -> Finding:
    low, high = gap[0], gap[-1]
    where = f"#{low}" if low == high else f"#{low}-#{high}"
    said = f"entry {where} is gone" if low == high else f"entries {where} are gone"
    return Finding(FindingKind.REMOVED_ENTRY, where, said)


def _gaps(ascending: Iterable[int]) -> tuple[range, ...]:
    """What is missing from 1 to the last; as runs, for one edited sequence can lie 2^63 behind the others."""
    steps = pairwise((0, *(seq for seq in ascending if seq > 0)))
    return tuple(range(before + 1, seq) for before, seq in steps if seq > before + 1)
