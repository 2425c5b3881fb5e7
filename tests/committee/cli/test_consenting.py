"""Measuring through the front office asks what the bench asks, before production is touched or a reviewer is paid."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from committee.workspace import Workspace
from ledger.entries import Arm, Launch, ReviewRun, TargetState
from tests.committee.cli.yard import on_record, production, typed, value

UNASKED = "production of 'small' would be taken down for that time; say --yes if that may be"


@pytest.fixture
def nobody(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Standard input as a script without a person has it."""
    with Path(os.devnull).open() as nothing:
        monkeypatch.setattr("sys.stdin", nothing)
        yield


@pytest.mark.usefixtures("nobody")
def test_nothing_stops_without_a_yes(ws: Path) -> None:
    with production(ws):
        measured = typed(ws, "committee", "measure", "0001")
        assert (measured.code, measured.err.strip()) == (2, UNASKED)
        assert "Production of small is away for about" in measured.out and "in total at most" in measured.out
        run = typed(ws, "committee", "run", "0001")
        assert (run.code, run.err.strip(), run.out) == (2, UNASKED, ""), "before any reviewer is asked"
        assert value(typed(ws, "harness", "attest", "small", "--json"))["as_described"]
    assert on_record(ws, Launch, Arm, ReviewRun) == []


def test_what_did_not_come_up_is_refused_and_the_dry_run_says_so(ws: Path) -> None:
    sentence = "'small' is not up (its last start failed); `harness start small` first"
    failed = {"target": "small", "state": "restore_failed", "by": "a test", "run": None, "pid": None}
    with Workspace.find(ws).ledger() as ledger:
        ledger.append(TargetState.model_validate({**failed, "start_time": None, "url": None, "evidence": "no program"}))
    measured = typed(ws, "committee", "measure", "0001", "--yes")
    assert (measured.code, measured.err.strip()) == (1, sentence)
    assert on_record(ws, Launch, Arm) == []
    planned = typed(ws, "committee", "measure", "0001", "--dry-run")
    assert planned.code == 0 and planned.out.strip().endswith(f"This run would be refused now: {sentence}.")
