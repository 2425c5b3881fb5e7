"""The made-up history, written once a session, read by every test of the report."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from committee.report.history import History, read_history
from committee.report.page import render
from committee.report.runs import RunView, run_views
from ledger.store import Ledger
from tests.committee.report.sample import append_sample


@pytest.fixture(scope="session")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ledger]:
    """A ledger with the whole made-up history."""
    path: Path = tmp_path_factory.mktemp("report") / "records.db"
    with Ledger.open(path, actor="test", create=True) as opened:
        append_sample(opened)
        yield opened


@pytest.fixture(scope="session")
def history(ledger: Ledger) -> History:
    """That ledger, read."""
    return read_history(ledger)


@pytest.fixture(scope="session")
def views(history: History) -> tuple[RunView, ...]:
    """Its measuring runs: knobs, busy (void), early, later."""
    return run_views(history)


@pytest.fixture(scope="session")
def page(history: History) -> str:
    """Its page."""
    return render(history)


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Ledger]:
    """A ledger to fill in the test."""
    with Ledger.open(tmp_path / "records.db", actor="test", create=True) as opened:
        yield opened
