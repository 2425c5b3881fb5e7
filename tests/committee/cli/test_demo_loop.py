"""The demonstration's own decisions; the whole of it is measured in benchmarks and by `make demo`."""

import asyncio
from pathlib import Path

import pytest
from rich.console import Console

from committee.cli.demo_loop import demonstrate
from committee.making import EXAMPLE
from harness.vocabulary.base import BadFileError
from tests.committee.cli.yard import typed


def test_only_in_a_new_folder(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").touch()
    with pytest.raises(BadFileError, match="is not empty; name a new or an empty folder"):
        asyncio.run(demonstrate(tmp_path, Console(quiet=True)))
    said = typed(tmp_path, "committee", "demo", "--folder", str(tmp_path))
    assert (said.code, said.out) == (2, "") and len(said.err.splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_what_it_runs_can_be_planned_without_a_server(tmp_path: Path) -> None:
    ws = tmp_path / "ws"
    assert typed(tmp_path, "committee", "init", str(ws), "--example").code == 0
    checked = typed(ws, "committee", "check", EXAMPLE)
    assert checked.code == 0 and "may be submitted" in checked.out
    said = typed(ws, "committee", "review", EXAMPLE, "--dry-run")
    assert said.code == 0 and said.err == ""
    assert said.out.count("--- to ") == 4
