"""Fixtures of the command line's tests."""

import shutil
from pathlib import Path

import pytest

from committee.testing.fixtures import server
from tests.committee.cli.yard import make

__all__ = ["server"]


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace to copy; making one takes git a moment."""
    return make(tmp_path_factory.mktemp("made") / "ws")


@pytest.fixture
def ws(made_once: Path, tmp_path: Path) -> Path:
    """A workspace of the test's own."""
    return Path(shutil.copytree(made_once, tmp_path / "ws"))
