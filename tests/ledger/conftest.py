"""A full ledger is made once and copied for every test that damages it."""

import shutil
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from ledger.head_file import head_path
from tests.ledger.examples import full_ledger
from tests.ledger.server import Server, running_server

NUMBERS = count(1)


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


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A real PostgreSQL server, for as long as the tests of one process run."""
    with running_server() as running:
        yield running


@pytest.fixture(params=["file", pytest.param("server", marks=pytest.mark.system)])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    """Where a new ledger goes: a file, and a database of a real server."""
    if request.param == "file":
        return tmp_path / "records.db"
    running: Server = request.getfixturevalue("server")
    return running.make(f"ledger_{next(NUMBERS)}")
