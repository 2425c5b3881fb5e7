"""What a person strikes opens conclusions, keeps an arm from being accepted, and is seen by day."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from committee.accept.accept import accept
from committee.cli.app import app
from harness.vocabulary.base import BadFileError
from ledger.entries import Invalidation, Launch, Verdict
from tests.committee.accept.sample import FOUR, Bench, make_bench

RUN = "m-000001"


def ran(bench: Bench, *words: str) -> Any:
    return CliRunner().invoke(app, [*words, "--workspace", str(bench.workspace.folder)])


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    made = make_bench(tmp_path)
    made.measure(RUN)
    return made


def test_a_struck_launch_opens_its_verdict_and_the_arm_is_not_accepted(bench: Bench) -> None:
    (launch, _), *_ = bench.ledger.of(Launch, run=RUN)
    done = ran(bench, "invalidate", str(launch.seq), "--reason", "a throttled card")
    struck, told = done.stdout.splitlines()
    (mark, _), *_ = bench.ledger.of(Invalidation)
    assert done.exit_code == 0 and struck.startswith(f"struck #{launch.seq} launch ") and RUN in struck
    assert f'take it back with `committee invalidate {mark.seq} --reason "..."`' in struck
    assert told == "recorded; 1 conclusion is open again (`committee reopened` lists them)"
    plan = next(iter(bench.ledger.entries("measuring_run")))
    done = ran(bench, "invalidate", f"#{plan.seq}", "--reason", "the wrong model file", "--person", "Ada")
    assert "1 conclusion is open again" in done.stdout
    done = ran(bench, "reopened")
    assert done.exit_code == 1
    assert "verdict FASTER on four-slots of local-llamacpp" in done.stdout
    assert "was struck by Ada: the wrong model file" in done.stdout
    assert "measure again: arm four-slots on local-llamacpp" in done.stdout
    refused = accept(bench.workspace, bench.ledger, "slots", FOUR.name, "faster", "Ada")
    assert isinstance(refused, tuple)
    assert any("does not stand" in said and "the wrong model file" in said for said in refused)


def test_nothing_open_is_a_good_answer(bench: Bench) -> None:
    done = ran(bench, "reopened", "--json")
    assert (done.exit_code, json.loads(done.stdout)) == (0, [])


def test_a_fact_strikes_and_what_rests_is_listed(bench: Bench) -> None:
    plan = next(iter(bench.ledger.entries("measuring_run")))
    done = ran(bench, "rests", str(plan.seq), "--json")
    assert {"launch", "gate", "verdict", "run_end"} == {one["kind"] for one in json.loads(done.stdout)}
    done = ran(bench, "rests", str(plan.seq), "--conclusions", "--json")
    assert {"verdict"} == {one["kind"] for one in json.loads(done.stdout)}
    assert ran(bench, "invalidate", "--fact", "harness_version=test", "--reason", "timed wrongly").exit_code == 0
    assert ran(bench, "reopened").exit_code == 1


def test_a_later_verdict_supersedes_an_earlier_and_not_the_other_way(bench: Bench) -> None:
    bench.measure("m-000002")
    (first, _), (second, _) = bench.ledger.of(Verdict)
    wrong = ran(bench, "supersede", str(second.seq), "--by", str(first.seq), "--reason", "r")
    assert isinstance(wrong.exception, BadFileError)
    assert "is not later than" in str(wrong.exception)
    done = ran(bench, "supersede", str(first.seq), "--by", str(second.seq), "--reason", "measured longer")
    assert done.exit_code == 0
    shown = ran(bench, "as-of", "2999-01-01", "--json")
    assert len(json.loads(shown.stdout)["measured"]) == 1


def test_what_was_believed_on_a_day(bench: Bench) -> None:
    done = ran(bench, "as-of", "2999-12-31T00:00:00+08:00")
    assert "FASTER" in done.stdout
    assert "Accepted: nothing" in done.stdout
    assert "Measured: nothing" in ran(bench, "as-of", "2000-01-01").stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("as-of", "yesterday"), "no day or time"),
        (("as-of", "2026-11-29T10:00:00"), "no time zone"),
        (("as-of", "0001-01-01T00:00:00+14:00"), "outside the calendar"),
        (("invalidate", "--reason", "r"), "either an entry or a --fact"),
        (("invalidate", "1", "--fact", "harness_version=1", "--reason", "r"), "either an entry or a --fact"),
        (("invalidate", "1", "--reason", " "), "needs words"),
    ],
)
def test_words_that_cannot_be_used(bench: Bench, words: tuple[str, ...], said: str) -> None:
    done = ran(bench, *words)
    assert isinstance(done.exception, BadFileError)
    assert said in str(done.exception)
    assert bench.ledger.of(Invalidation) == []
