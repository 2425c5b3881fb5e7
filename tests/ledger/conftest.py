"""A full ledger is made once and copied for every test that damages it."""

import shutil
from pathlib import Path

import pytest

from ledger.head_file import head_path
from tests.ledger.examples import full_ledger


@pytest.fixture(scope="session")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A closed ledger that no test changes."""
    return full_ledger(tmp_path_factory.mktemp("pristine") / "records.db")


@pytest.fixture
def full(pristine: Path, tmp_path: Path) -> Path:
    """A copy of the full ledger, with its head file."""
    path = tmp_path / "records.db"
    shutil.copy(pristine, path)
    shutil.copy(head_path(pristine), head_path(path))
    return path
