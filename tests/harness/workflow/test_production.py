"""Production that was started from another target file than the one that stands there now."""

from pathlib import Path
from typing import Any

import pytest

from harness.vocabulary.target import Target
from harness.workflow.attest import attest
from harness.workflow.conclude import Conclusion
from harness.workflow.events import MeasureEvent
from harness.workflow.plan import commit_plan
from harness.workflow.production import away_s, differences, production_spec
from harness.workflow.proof import production_gates, prove_production
from ledger.entries import Payload, TargetState
from ledger.store import Entry
from ledger.withhold import Wanted, withhold
from tests.harness.workflow.bench_yard import BenchYard
from tests.harness.workflow.kill_yard import kill_yard
from tests.ledger.examples import launch


def changed(target: Target, **baseline: Any) -> Target:
    """The same target after somebody edited its file."""
    return target.model_copy(update={"baseline": target.baseline.model_copy(update=baseline)})


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ({"mode": "good", "token-s": 0.001}, "started with --token-s 0.003, the target's file says --token-s 0.001"),
        ({"mode": "good"}, "started with --token-s 0.003, the target's file says nothing there"),
        (
            {"mode": "good", "token-s": 0.003, "workers": 4},
            "started with nothing there, the target's file says --workers 4",
        ),
    ],
)
def test_a_changed_command_is_said_where_it_differs(tmp_path: Path, flags: dict[str, Any], said: str) -> None:
    target = BenchYard(tmp_path).order().target
    started_as = production_spec(target, tmp_path)
    assert differences(changed(target, flags=flags), started_as) == (said,)
    assert differences(target, started_as) == differences(target, None) == ()


def test_a_changed_variable_is_named_and_its_value_is_not(tmp_path: Path) -> None:
    target = BenchYard(tmp_path).order().target
    started_as = production_spec(changed(target, env={"TOKEN": "secret"}), tmp_path)
    assert differences(target, started_as) == ("environment variable TOKEN was another one when it was started",)


async def test_it_attests_drift_and_comes_back_as_it_was_started(tmp_path: Path) -> None:
    yard, events = BenchYard(tmp_path), list[MeasureEvent]()
    order = yard.order()
    edited = changed(order.target, flags={"mode": "good", "token-s": 0.002}, witness=())
    drift = "started with --token-s 0.003, the target's file says --token-s 0.002"
    async with yard.production() as host:
        assert (await attest(order.target, yard.place)).drift == ()
        seen = await attest(edited, yard.place)
        assert (seen.as_described, seen.drift) == (False, (drift,)) and f"DRIFT: {drift}" in seen.sentence
        with yard.ledger() as ledger:
            outcome = await yard.measurement(order.model_copy(update={"target": edited}), ledger, events).run()
        assert isinstance(outcome, Conclusion)
        assert any(drift in event.text for event in events if event.what == "production")
        back = await host.production()
        assert back.started_as == production_spec(order.target, yard.folder)
        assert [gate.passed for gate in await production_gates(host, edited)] == [True, True, True]
        assert await prove_production(host, order.target) is None
        unmarked = edited.model_copy(update={"armed": tuple(m.model_copy(update={"count": 2}) for m in edited.armed)})
        trouble = await prove_production(host, unmarked)
        assert trouble is not None and "gate armed (marker 'WORKER ARMED x/4' stands 1 times, 2 needed)" in trouble


def test_the_time_away_of_every_start_of_a_run_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def state(word: Any, run: str = "measure-000001") -> TargetState:
        return TargetState(target="t", state=word, by="x", run=run, pid=None, start_time=None, url=None, evidence="")

    with BenchYard(tmp_path).ledger() as ledger:
        for second, payload in (
            (0, state("up")),
            (10, state("taken_down")),
            (17, state("restored")),  # stopped by a person after 7 seconds
            (20, state("taken_down", "measure-000002")),
            (30, state("taken_down")),
            (34, launch("measure-000001")),
            (35, launch("measure-000002")),
            (36, state("restored", "measure-000002")),  # killed: known to be away until its last launch, 4 seconds
            (50, state("taken_down")),  # killed before its first launch
            (55, state("taken_down")),
            (57, state("restore_failed")),
        ):
            monkeypatch.setattr("ledger.inserting.utc_now", lambda at=second: f"2026-11-29T10:00:{at:02d}.000000Z")
            ledger.append(payload)
        assert away_s(ledger, "measure-000001") == pytest.approx(7 + 4 + 0 + 2)
        assert away_s(ledger, "measure-000002") == pytest.approx(16)
        assert away_s(ledger, "measure-000003") == 0


@pytest.mark.system
async def test_a_start_says_that_an_older_production_goes_on_and_how_to_replace_it(tmp_path: Path) -> None:
    async with kill_yard(tmp_path) as yard:
        path = yard.folder / "targets" / "small.toml"
        path.write_text(path.read_text(encoding="utf-8").replace("token-s = 0.001", "token-s = 0.002"), "utf-8")
        drift = "started with --token-s 0.001, the target's file says --token-s 0.002"
        for command in ("attest", "start"):
            said = await yard.harness(command, "small")
            assert said.code == 1 and drift in said.words, said
        assert "'harness stop small', then 'harness start small' makes it what its file says now" in said.words
        assert (await yard.harness("stop", "small")).code == 0
        for command in ("start", "attest"):
            said = await yard.harness(command, "small")
            assert said.code == 0 and "DRIFT" not in said.words, said


def test_time_away_whose_states_are_withheld_counts_from_the_plan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    yard = BenchYard(tmp_path)
    with yard.ledger() as ledger:

        def at(second: int, *payloads: Payload) -> tuple[Entry, ...]:
            monkeypatch.setattr("ledger.inserting.utc_now", lambda: f"2026-11-29T10:00:{second:02d}.000000Z")
            return ledger.append_all(payloads)

        at(5)
        commit_plan(ledger, yard.order(run="measure-000001"))
        down = TargetState(
            target="t",
            state="taken_down",
            by="x",
            run="measure-000001",
            pid=None,
            start_time=None,
            url=None,
            evidence="",
        )
        (taken,) = at(10, down)
        (started,) = at(30, launch("measure-000001"))
        assert away_s(ledger, "measure-000001") == pytest.approx(20)
        withhold(ledger, Wanted((started.id,)), reason="a key in its arguments", person="Ada")
        assert away_s(ledger, "measure-000001") == pytest.approx(20)
        withhold(ledger, Wanted((taken.id,)), reason="a key in its line", person="Ada")
        assert away_s(ledger, "measure-000001") == pytest.approx(25)
