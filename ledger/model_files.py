"""Which recorded model files a name means, and which runs were measured with other files than their target has today.

Reading only. A file is what it was if size and sample agree, and the whole file's hash, or where one of the two was
never read whole, the time of writing.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import PurePosixPath

from sqlalchemy import text

from ledger.store import Ledger

SHOWN = 8  # digits of a sample in a sentence
# A path, the last part of one, a sample or the whole file's hash; the latter also where nobody had read it whole yet.
NAMED = """
    SELECT seq FROM model_file WHERE path = :value UNION SELECT seq FROM model_file WHERE name = :value
    UNION SELECT seq FROM model_file WHERE sample_sha256 = :value UNION SELECT seq FROM model_file WHERE sha256 = :value
    UNION SELECT f.seq FROM model_file w JOIN model_file f ON f.sample_sha256 = w.sample_sha256
    WHERE w.sha256 = :value AND f.sha256 IS NULL
"""


Row = tuple[object, ...]  # as the driver gives it


@dataclass(frozen=True)
class File:
    """One model file as it was seen."""

    path: str
    bytes: int
    written: str
    sample: str
    sha256: str | None

    @property
    def words(self) -> str:
        """For people."""
        return f"{PurePosixPath(self.path).name} ({self.sample[:SHOWN]})"


@dataclass(frozen=True)
class ModelSeen:
    """The files of a baseline's launches from entry `seq` on, sorted by path."""

    seq: int
    run: str
    files: tuple[File, ...]


def models_named(ledger: Ledger, value: str) -> tuple[int, ...]:
    """Numbers of the entries that name such a file, oldest first."""
    with ledger.looking() as connection:
        return tuple(sorted(row[0] for row in connection.execute(text(NAMED), {"value": value})))


def model_changes(seen: Sequence[ModelSeen], runs: Collection[str]) -> dict[str, tuple[int, str]]:
    """Pure: for each of these runs of one target whose last files are not the newest ones, the entry that shows the
    first other ones, and a sentence's part. `seen` are the target's, oldest first."""
    last = {one.run: one for one in seen}
    found: dict[str, tuple[int, str]] = {}
    for run in last.keys() & runs:
        mine = last[run]
        if not _changed(mine.files, seen[-1].files):
            continue
        first = next(one for one in seen if one.seq > mine.seq and _changed(mine.files, one.files))
        found[run] = (first.seq, _changed(mine.files, first.files))
    return found


def _changed(then: Sequence[File], now: Sequence[File]) -> str:
    """What is not as it was, in words; empty if all is."""
    there = {one.path: one for one in now}
    if there.keys() != {one.path for one in then}:
        return f"its model changed from {_listed(then)} to {_listed(now)}"
    for one in then:
        other = there[one.path]
        whole = one.sha256 is not None and other.sha256 is not None
        if (one.bytes, one.sample) != (other.bytes, other.sample) or (whole and one.sha256 != other.sha256):
            return f"its model file changed from {one.words} to {other.words}"
        if not whole and one.written != other.written:
            name = PurePosixPath(one.path).name
            return f"its model file {name} was written to at {other.written}; nobody read it whole before and after"
    return ""


def _listed(files: Sequence[File]) -> str:
    more = f" and {len(files) - 1} more" if len(files) > 1 else ""
    return f"{files[0].words}{more}"


def baseline_models(rows: Sequence[Row], asked: Collection[str]) -> Mapping[str, list[ModelSeen]]:
    """Pure: from rows (seq, target, run, path, bytes, written, sample, sha256) in the order of seq and path to what was
    seen on each target: what differs from the one before, and the runs asked about."""
    found: dict[str, list[ModelSeen]] = defaultdict(list)
    newest: dict[str, tuple[Row, ...]] = {}
    for (seq, target, run), same in groupby(rows, key=itemgetter(0, 1, 2)):
        facts = tuple(row[3:] for row in same)
        if run in asked or newest.get(target) != facts:
            newest[target] = facts
            found[target].append(ModelSeen(seq, run, tuple(map(_file, facts))))
    return found


def _file(row: Row) -> File:
    path, size, written, sample, sha256 = row
    whole = None if sha256 is None else str(sha256)
    return File(str(path), int(str(size)), str(written), str(sample), whole)
