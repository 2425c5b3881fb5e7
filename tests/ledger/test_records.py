"""A workspace's ledger by one border: a file, or a URL out of a variable that no sentence shows."""

from pathlib import Path

import pytest

from ledger.entries import Parked
from ledger.errors import LedgerError
from ledger.records import Records, place_named, url_in
from ledger.verify import verify


def test_a_file_is_there_once_it_was_opened(tmp_path: Path) -> None:
    records = Records.of(tmp_path, None, {})
    assert (records.said, records.file) == (str(tmp_path / "records.db"), tmp_path / "records.db")
    assert not records.there() and not (tmp_path / "records.db").exists()
    with records.open("ada") as ledger:
        head = ledger.append(Parked(subject="x", proposal=None, reason="not understood", person="Ada"))
    assert records.there() and records.verify().ok
    assert records.rebuild("ada") == 1
    assert records.copy_to(tmp_path / "copy.db").head == verify(tmp_path / "copy.db").head
    assert verify(tmp_path / "copy.db").head is not None and head.seq == 1


def test_a_url_comes_out_of_its_variable_and_is_named_without_its_password(tmp_path: Path) -> None:
    url = "postgresql://owner:s3cret@db.example/records"
    records = Records.of(tmp_path, "LEDGER", {"LEDGER": f" {url}\n"})
    assert (records.place, records.beside, records.file) == (url, tmp_path / "records.db", None)
    assert records.said == "postgresql://owner:***@db.example/records"
    assert place_named("env:LEDGER", {"LEDGER": url}) == url == place_named(url, {})
    assert place_named("records.db", {}) == Path("records.db")
    assert place_named("postgresql", {}) == Path("postgresql"), "a file may have that name"


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        ({}, "variable 'LEDGER', which names the ledger's database, is not set"),
        ({"LEDGER": "  "}, "is not set"),
        ({"LEDGER": "s3cret records.db"}, "holds no URL of a database"),
    ],
)
def test_a_variable_that_names_none_is_one_sentence(environ: dict[str, str], said: str) -> None:
    with pytest.raises(LedgerError, match=said) as caught:
        url_in("LEDGER", environ)
    assert "s3cret" not in str(caught.value)
