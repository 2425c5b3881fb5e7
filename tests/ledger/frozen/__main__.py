"""Freezes a ledger of the present schema: an entry of every kind, a full batch, a mark of each sort, a tombstone.

`python -m tests.ledger.frozen` before a release. An earlier schema is frozen by that release's own code.
"""

import gzip
import sys
import tempfile
from pathlib import Path

from ledger import entries as e
from ledger.anchor import checkpoint
from ledger.head_file import head_path
from ledger.migrations import MIGRATIONS
from ledger.store import Ledger
from ledger.tree import BATCH_ENTRIES
from ledger.withhold import Wanted, withhold
from tests.ledger.examples import every_kind, full_ledger

HERE = Path(__file__).parent
ELSEWHERE = ("checkpoint", "tombstone", "invalidation", "supersession")  # they name other entries: made below


def main() -> int:
    """Write `schema-N.db.gz` and its head file; refused where they exist."""
    name = f"schema-{MIGRATIONS[-1].number}"
    if (HERE / f"{name}.db.gz").exists():
        sys.stderr.write(f"{name} is frozen already\n")
        return 1
    with tempfile.TemporaryDirectory() as folder:
        path = full_ledger(Path(folder) / "records.db")
        with Ledger.open(path, actor="freezer") as ledger:
            ledger.append_all([_parked(number) for number in range(BATCH_ENTRIES)])
            ref = ledger.put_blob(b"a key", "text/plain")
            _later_kinds(ledger)
            ledger.append(checkpoint(ledger))
            withhold(ledger, Wanted(entries=("30",), blobs=(ref.sha256,)), reason="a key was in it", person="Ada")
        (HERE / f"{name}.db.gz").write_bytes(gzip.compress(path.read_bytes(), 9, mtime=0))
        (HERE / f"{name}.head").write_bytes(head_path(path).read_bytes())
    return 0


def _later_kinds(ledger: Ledger) -> None:
    """What `full_ledger` lacks, with marks on entries that are there."""
    kept = ledger.put_blob(b"kept", "text/plain")
    there = {entry.kind for entry in ledger.entries()}
    ledger.append_all([one for one in every_kind(kept) if one.kind not in {*there, *ELSEWHERE}])
    struck = next(iter(ledger.entries("launch"))).id
    replaced = next(iter(ledger.entries("acceptance"))).id
    ledger.append(e.Invalidation(subject=struck, fact=None, reason="a throttled card", person="Ada"))
    ledger.append(e.Invalidation(subject=None, fact="harness_version=0.1.0", reason="a fault", person="Ada"))
    ledger.append(e.Supersession(subject=replaced, by=struck, reason="measured again", person="Ada"))


def _parked(number: int) -> e.Parked:
    return e.Parked(subject=str(number), proposal=None, reason="not understood", person="Ada")


if __name__ == "__main__":
    sys.exit(main())
