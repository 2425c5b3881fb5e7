"""`committee ask`: answers with marks for what does not stand, and a negative answer for nothing."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from committee.accept.accept import accept
from committee.cli.app import app
from committee.cli.origin import simulated_runs
from ledger.entries import Acceptance, Invalidation, MeasuringRun, Verdict
from tests.committee.accept.sample import FOUR, Bench, make_bench
from tests.ledger.examples import launch


def ran(bench: Bench, *words: str) -> Any:
    return CliRunner().invoke(app, ["ask", *words, "--workspace", str(bench.workspace.folder)])


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    made = make_bench(tmp_path)
    made.measure("m-000001")
    return made


def test_a_settings_verdicts_with_their_doubts(bench: Bench) -> None:
    done = ran(bench, "setting", "N_PARALLEL")
    assert done.exit_code == 0
    assert "n-parallel = 4: FASTER" in done.stdout
    ((run, _),) = bench.ledger.of(MeasuringRun)
    bench.ledger.append(Invalidation(subject=run.id, fact=None, reason="the wrong model file", person="Ada"))
    assert "open again" in ran(bench, "setting", "n-parallel").stdout
    (found,) = json.loads(ran(bench, "setting", "n-parallel", "--json").stdout)
    assert "the wrong model file" in found["doubt"]


def test_what_production_is_made_of_and_why(bench: Bench) -> None:
    done = accept(bench.workspace, bench.ledger, "slots", FOUR.name, "four users wait less", "Ada")
    assert isinstance(done, Acceptance), done
    shown = ran(bench, "production", "local-llamacpp").stdout
    assert "four-slots (slots" in shown or "four-slots (0001-slots" in shown
    assert "by Ada: four users wait less" in shown


def test_what_a_version_measured(bench: Bench) -> None:
    assert ran(bench, "version", "test").exit_code == 0


def test_nothing_is_a_negative_answer(bench: Bench) -> None:
    done = ran(bench, "version", "0.0.0")
    assert (done.exit_code, done.stdout) == (1, "Nothing on record about version '0.0.0'.\n")
    assert "'m.gguf'; no launch's files were read under that name (" in ran(bench, "model", "m.gguf").stdout
    done = ran(bench, "production", "local-llamacpp")
    assert (done.exit_code, done.stdout) == (1, "no acceptance on 'local-llamacpp' yet.\n")


@pytest.mark.parametrize(
    ("question", "name", "said"),
    [
        ("setting", "n-paralel", "no such setting on record: 'n-paralel'; there is: n-parallel; did you mean"),
        ("production", "local-lamacpp", "did you mean 'local-llamacpp'?"),
        ("reviewer", "nobody", "no such reviewer on record: 'nobody'; there is:"),
    ],
)
def test_a_name_that_names_nothing_is_no_fact(bench: Bench, question: str, name: str, said: str) -> None:
    done = ran(bench, question, name)
    assert done.exit_code == 2 and said in done.stderr


def test_numbers_of_a_simulated_server_are_labelled_in_ask_and_log(bench: Bench) -> None:
    made = launch("m-000002").model_copy(update={"argv": ("python", "-m", "harness.simulator")})
    ((_, known),) = bench.ledger.of(Verdict)
    other = known.model_copy(update={"run": "m-000002", "metric": "ttft_ms", "load": 1, "primary": False})
    bench.ledger.append_all((made, other))
    assert simulated_runs(bench.ledger, {"m-000001", "m-000002", "m-000003"}) == {"m-000002"}
    shown = ran(bench, "setting", "n-parallel").stdout.splitlines()
    assert shown[0].endswith("ttft_ms at 1 user); simulated server") and shown[1].endswith("at 4 users, primary)")
    listed = CliRunner().invoke(app, ["log", "--kind", "verdict", "--workspace", str(bench.workspace.folder)]).stdout
    assert "VALID FASTER +40.0 % (+30.0 to +50.0), total_tok_s at 4 users, primary\n" in listed
    assert "ttft_ms at 1 user; simulated server" in listed
