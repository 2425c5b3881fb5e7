"""Every later version opens, verifies, reads and goes on with what earlier releases wrote."""

import gzip
from pathlib import Path

import pytest

from ledger import entries as e
from ledger.findings import FindingKind as Kind
from ledger.head_file import head_path
from ledger.migrations import MIGRATIONS
from ledger.standing import doubts
from ledger.store import Ledger
from ledger.verify import verify
from tests.ledger.examples import what_happened

HERE = Path(__file__).parent
FROZEN = sorted(path.name.removesuffix(".db.gz") for path in HERE.glob("*.db.gz"))
LENGTH = {
    "schema-1": 20, "schema-2": 276, "schema-3": 281, "schema-4": 283, "schema-5": 278, "schema-6": 284,
    "schema-7": 288, "schema-8": 289, "schema-9": 289, "schema-10": 290, "schema-11": 290,
    "schema-12": 292, "schema-13": 293,
}  # fmt: skip  # entries
AT_ONCE = ("schema-1", "schema-13")  # each run; the others are opened by `make test-system`
CASES = [name if name in AT_ONCE else pytest.param(name, marks=pytest.mark.system) for name in sorted(LENGTH)]


@pytest.fixture(params=CASES)
def frozen(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A copy of a frozen ledger, as its release left it."""
    path = tmp_path / "records.db"
    path.write_bytes(gzip.decompress((HERE / f"{request.param}.db.gz").read_bytes()))
    head_path(path).write_bytes((HERE / f"{request.param}.head").read_bytes())
    return path


def test_every_release_is_here() -> None:
    assert sorted(LENGTH) == FROZEN
    numbers = sorted(int(name.removeprefix("schema-")) for name in LENGTH)
    assert numbers == list(range(1, numbers[-1] + 1))
    assert numbers[-1] <= MIGRATIONS[-1].number


def test_verified_as_it_stands_then_opened_and_continued(frozen: Path, request: pytest.FixtureRequest) -> None:
    count = LENGTH[request.node.callspec.params["frozen"]]
    before = frozen.read_bytes()
    outcome = verify(frozen)
    assert (outcome.ok, outcome.entries) == (True, count)
    assert {one.what for one in outcome.findings} <= {Kind.WITHHELD}
    assert frozen.read_bytes() == before
    with Ledger.open(frozen, actor="later") as ledger:
        kept = list(ledger.entries())
        payloads = what_happened(ledger.put_blob(b"listening on 127.0.0.1\n" * 40, "text/plain"))
        assert [one.payload for one in kept[:20]] == list(payloads)[:20]
        ledger.append_all([e.Parked(subject="x", proposal=None, reason="y", person="z")] * 300)
        doubts(ledger)
    outcome = verify(frozen)
    assert (outcome.ok, outcome.entries) == (True, count + 300)
