"""What docs/ledger.md says is so: its queries run, its snippet reads a blob, its list of findings is complete."""

import re
import sqlite3
import zlib
from contextlib import closing
from pathlib import Path

from ledger.findings import FindingKind
from ledger.store import Ledger
from tests.ledger.examples import RUN

TEXT = (Path(__file__).parents[2] / "docs" / "ledger.md").read_text(encoding="utf-8")


def test_every_finding_is_explained() -> None:
    assert {kind.value for kind in FindingKind} <= set(re.findall(r"`([a-z_]+)`", TEXT))


def test_every_query_runs_and_finds_something(full: Path) -> None:
    (block,) = re.findall(r"```sql\n(.*?)```", TEXT, re.DOTALL)
    block = re.sub(r"measure-\d{8}-\d{6}-[0-9a-f]{8}", RUN, block)
    queries = [one for one in block.split(";") if one.strip()]
    with closing(sqlite3.connect(full)) as plain:
        found = [plain.execute(query).fetchall() for query in queries]
    assert [len(rows) for rows in found] == [20, 1, 1, 1]
    assert found[2] == [("four-slots", "VALID", "FASTER", "IDENTICAL", 30.25, 44.5, 60.0)]
    assert found[3][0][3:] == ("total_tok_s", 4, 86.7)


def test_a_blob_is_read_with_the_standard_library(full: Path) -> None:
    with Ledger.open(full, actor="test") as ledger:
        sha256 = ledger.put_blob(b"words " * 400_000, "text/plain").sha256
    with closing(sqlite3.connect(f"file:{full}?mode=ro", uri=True)) as plain:
        rows = plain.execute("SELECT content FROM blob_chunk WHERE sha256 = ? ORDER BY item", (sha256,))
        assert b"".join(zlib.decompress(piece) for (piece,) in rows) == b"words " * 400_000
