"""What a person leaves alone is on record with the reason, and an arm that was never measured cannot be declined."""

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from committee.cli.app import app
from harness.vocabulary.base import BadFileError
from ledger.entries import NotApplied, Parked
from tests.committee.accept.sample import FOUR, make_bench


def ran(*words: str, folder: Path) -> Any:
    return CliRunner().invoke(app, [*words, "--workspace", str(folder)])


def test_parked_with_its_reason(tmp_path: Path) -> None:
    bench = make_bench(tmp_path)
    done = ran("park", "integer fills", "--reason", " source not located ", folder=bench.workspace.folder)
    assert (done.exit_code, done.stdout) == (0, "parked as entry 1\n")
    ((_, parked),) = bench.ledger.of(Parked)
    assert (parked.subject, parked.reason, parked.proposal) == ("integer fills", "source not located", None)


def test_a_measured_arm_is_declined(tmp_path: Path) -> None:
    bench = make_bench(tmp_path)
    bench.measure("m-000001")
    done = ran("decline", "slots", FOUR.name, "--reason", "single users matter more", folder=bench.workspace.folder)
    assert done.exit_code == 0, done.stderr
    ((_, declined),) = bench.ledger.of(NotApplied)
    assert (declined.arm, declined.run, declined.target) == (FOUR.fingerprint, "m-000001", "local-llamacpp")


def test_an_arm_without_a_verdict_cannot_be_declined(tmp_path: Path) -> None:
    bench = make_bench(tmp_path)
    done = ran("decline", "slots", "ghost", "--reason", "x", folder=bench.workspace.folder)
    assert done.exit_code == 1 and "has no verdict on an arm 'ghost'" in done.stderr
    assert bench.ledger.of(NotApplied) == []


@pytest.mark.parametrize("words", [("park", " ", "--reason", "x"), ("park", "x", "--reason", " ")])
def test_words_are_needed(tmp_path: Path, words: tuple[str, ...]) -> None:
    bench = make_bench(tmp_path)
    done = ran(*words, folder=bench.workspace.folder)
    assert isinstance(done.exception, BadFileError) and "needs words" in str(done.exception)
    assert bench.ledger.of(Parked) == []
