"""The graph's order: the arms of its own review run, asked of the target and of the server budget."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import typer

from committee.cli.deciding import say_measured
from committee.cli.desk import order_of, said_stopped
from committee.cli.running import say_result
from committee.cli.terms import NOTHING_GIVEN, Given
from committee.measure import Ended
from committee.proposals.record import store
from committee.proposals.revision import freeze
from committee.workflow.desk import Measuring
from committee.workflow.graph import RunResult
from committee.workspace import Workspace
from harness.cli.speak import Failure
from harness.vocabulary.arm import Arm
from harness.vocabulary.base import BadFileError
from harness.workflow.night import BY_A_PERSON
from harness.workflow.order import Order
from ledger.entries import Arm as ArmEntry
from ledger.entries import Hypothesis, TargetState
from ledger.store import Ledger
from tests.committee.cli.yard import HEADER, PROPOSAL, make
from tests.committee.fuse.sample import make_hypothesis

SLOW: dict[str, Any] = {
    "name": "slow",
    "flags": {"token-s": 0.25},
    "witness": [{"source": "log", "pattern": "token_s = 0.25"}],
}


@dataclass(frozen=True)
class Room:
    """A workspace whose proposal is on record, and its ledger."""

    place: Workspace
    ledger: Ledger

    def order(self, *told: Hypothesis, given: Given = NOTHING_GIVEN) -> Order:
        """What the measure node would order after these hypotheses, with the author's arm."""
        frozen = freeze(self.place.proposal_folder(PROPOSAL))
        store(self.ledger, frozen)
        self.ledger.append_all(told)
        prints = (Arm.model_validate({"schema": 1, **SLOW}).fingerprint, FAST.fingerprint)
        asked = Measuring("measure-test-000001", "review-000000", PROPOSAL, frozen.tree, prints)
        return order_of(self.place, self.ledger, asked, given)


FAST = Arm.model_validate({"schema": 1, "name": "fast", "flags": {"token-s": 0.0005}})


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    """A fresh one."""
    place = Workspace.find(make(tmp_path / "w"))
    with place.ledger() as ledger:
        yield Room(place, ledger)


def test_the_arms_are_this_runs_own_whatever_others_recorded_of_the_same_change(room: Room) -> None:
    bare = Arm.model_validate({"schema": 1, **SLOW, "name": "bare", "witness": []})
    room.ledger.append(
        ArmEntry(
            fingerprint=bare.fingerprint,
            name="bare",
            target="small",
            proposal=PROPOSAL,
            definition=bare.model_dump(mode="json", by_alias=True),
            origins=("author",),
        )
    )
    made = room.order(make_hypothesis("ada", 1, SLOW))
    assert [(item.arm.name, item.origins) for item in made.arms] == [
        ("fast", ("author",)),
        ("slow", ("review-000000/ada/1",)),
    ]
    assert [witness.pattern for witness in made.arms[1].arm.witness] == ["token_s = 0.25"]


def test_a_hypothesis_whose_fingerprint_is_anothers_is_left_out_of_the_order(room: Room) -> None:
    fault = make_hypothesis("ada", 1, {**SLOW, "flags": {"token-s": 99}}, arm_fingerprint=FAST.fingerprint)
    made = room.order(fault)
    assert [(item.arm.name, item.arm.flags) for item in made.arms] == [("fast", {"token-s": 0.0005})]


def test_an_arm_that_the_target_no_longer_allows_is_refused(room: Room) -> None:
    target = room.place.folder / "targets" / "small.toml"
    target.write_text(target.read_text().replace("min = 0, max = 1 }", "min = 0, max = 0.1 }"))
    with pytest.raises(BadFileError, match=r"'token-s' = 0\.25 must be between 0 and 0\.1 for target 'small'"):
        room.order(make_hypothesis("ada", 1, SLOW))


def test_an_order_above_the_server_budget_is_refused(room: Room) -> None:
    header = room.place.proposal_folder(PROPOSAL) / "proposal.toml"
    header.write_text(HEADER.replace("server_minutes = 10", "server_minutes = 0.2"))
    with pytest.raises(BadFileError, match=r"away for about 0\.2 minutes and 0\.0 are used, but .* is 0\.2; measure"):
        room.order(make_hypothesis("ada", 1, SLOW))


@pytest.mark.parametrize(
    ("states", "said"),
    [
        ((), "production was not touched"),
        (("taken_down", "restored"), "production of 'small' is back"),
        (("down",), "production of 'small' was not running before and is left so"),
        (("taken_down",), None),
        (("taken_down", "restore_failed"), None),
    ],
    ids=str,
)
def test_what_is_said_after_ctrl_c_is_where_production_stands(
    room: Room, states: tuple[str, ...], said: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    for state in states:
        room.ledger.append(
            TargetState.model_validate(
                {
                    "target": "small", "state": state, "by": "harness", "run": "measure-1", "pid": None,
                    "start_time": None, "url": None, "accepted": None, "evidence": "seen",
                }
            )
        )  # fmt: skip
    kept = "what was finished is kept, go on with `committee x`"
    if said is not None:
        assert said_stopped(room.ledger, "measure-1", "committee x") == f"stopped by a person; {said}, {kept}"
        return
    with pytest.raises(Failure) as ended:
        said_stopped(room.ledger, "measure-1", "committee x")
    assert ended.value.exit_code == 1 and ended.value.stands
    assert capsys.readouterr().err == (
        "stopped by a person, but production of 'small' is NOT back; run `harness restore small`; " + kept + "\n"
    )


def test_a_run_that_is_told_to_stop_ends_as_stopped_for_whoever_waits_for_it(room: Room) -> None:
    for outcome, sentence, code in (
        (None, f"{BY_A_PERSON}; go on with `harness measure`", 130),  # as `harness stop RUN` ends it
        (None, "production of 'small' did not come up (refused); once it is up, go on with `harness measure`", 1),
        ("void", "the noise of this machine is too large", 1),
    ):
        result = RunResult("review-1", ended=sentence, measuring_run="measure-1")
        for as_json in (True, False):
            with pytest.raises(typer.Exit) as ended:
                say_measured(room.place, room.ledger, "measure-1", Ended(outcome, sentence), as_json=as_json)
            assert ended.value.exit_code == code
            with pytest.raises(typer.Exit) as ended:
                say_result(room.place, room.ledger, result, as_json=as_json)
            assert ended.value.exit_code == code
