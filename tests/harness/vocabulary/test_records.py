"""Where a workspace's ledger is, by committee.toml: one table is read, and a mistake in it is one sentence."""

from pathlib import Path

import pytest

from harness.vocabulary.base import BadFileError
from harness.vocabulary.records import ledger_settings


def test_without_the_file_or_the_table_it_is_the_folders_own_file(tmp_path: Path) -> None:
    assert ledger_settings(tmp_path).url_env is None
    (tmp_path / "committee.toml").write_text('schema = 1\n[[reviewer]]\nname = "whatever is wrong here"\n')
    assert ledger_settings(tmp_path).url_env is None


def test_a_variable_is_named(tmp_path: Path) -> None:
    (tmp_path / "committee.toml").write_text('[ledger]\nurl_env = "COMMITTEE_LEDGER_URL"\n')
    assert ledger_settings(tmp_path).url_env == "COMMITTEE_LEDGER_URL"


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ('ledger = "postgresql://owner:s3cret@host/x"', "ledger must be a table"),
        ('[ledger]\nurl_env = "postgresql://owner:s3cret@host/x"', "url_env"),
        ('[ledger]\nurl = "postgresql://owner@host/x"', "url"),
    ],
)
def test_a_mistake_is_one_sentence(tmp_path: Path, written: str, said: str) -> None:
    (tmp_path / "committee.toml").write_text(written)
    with pytest.raises(BadFileError, match=said):
        ledger_settings(tmp_path)
