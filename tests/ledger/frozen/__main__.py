"""Freezes a ledger of the present schema, with everything in it that the present code can put there."""

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
from tests.ledger.examples import full_ledger

HERE = Path(__file__).parent


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
            ledger.append(checkpoint(ledger))
            withhold(ledger, Wanted(entries=("30",), blobs=(ref.sha256,)), reason="a key was in it", person="Ada")
        (HERE / f"{name}.db.gz").write_bytes(gzip.compress(path.read_bytes(), 9, mtime=0))
        (HERE / f"{name}.head").write_bytes(head_path(path).read_bytes())
    return 0


def _parked(number: int) -> e.Parked:
    return e.Parked(subject=str(number), proposal=None, reason="not understood", person="Ada")


if __name__ == "__main__":
    sys.exit(main())
