"""The arm that was checked is the arm that is launched: the plan's own entry, of its own fingerprint, asked again."""

from pathlib import Path
from typing import Any

import pytest

from harness.vocabulary.arm import Arm
from harness.vocabulary.base import BadFileError
from harness.workflow.admitted import arm_in, arms_of, launchable
from harness.workflow.plan import commit_plan, make_plan
from ledger.entries import Arm as ArmEntry
from tests.harness.workflow.bench_yard import FAST, BenchYard


def entry(arm: Arm, **change: Any) -> ArmEntry:
    value = {
        "fingerprint": arm.fingerprint,
        "name": arm.name,
        "target": "small",
        "proposal": None,
        "definition": arm.model_dump(mode="json", by_alias=True),
        "origins": ("author",),
    }
    return ArmEntry.model_validate(value | change)


def test_an_entry_gives_back_its_arm() -> None:
    arm = Arm.model_validate(FAST)
    assert arm_in(entry(arm)) == arm


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ({"token-s": 0.9}, "arm 'fast' on record is not the change that its fingerprint"),
        ({"token-s": 0.0005, "token_s": 0.9}, "'token-s' and 'token_s' are two spellings of one flag"),
        ({}, "at least one flag"),
    ],
)
def test_an_entry_that_is_not_its_fingerprints_change_is_never_launched(flags: dict[str, Any], said: str) -> None:
    with pytest.raises(BadFileError, match=said):
        arm_in(entry(Arm.model_validate(FAST), definition={**FAST, "flags": flags}))


def test_the_plans_own_definition_counts_and_not_what_others_recorded(tmp_path: Path) -> None:
    yard, arm = BenchYard(tmp_path), Arm.model_validate(FAST)
    bare = Arm.model_validate({**FAST, "name": "bare", "witness": []})
    with yard.ledger() as ledger:
        ledger.append(entry(bare))
        plan = commit_plan(ledger, yard.order(FAST))
        ledger.append(entry(bare, target="another", proposal="0009-x"))
        ledger.append(entry(bare))
        assert arms_of(ledger, plan) == {arm.fingerprint: arm}


def test_a_plan_without_its_arm_on_record_is_refused(tmp_path: Path) -> None:
    yard = BenchYard(tmp_path)
    plan = make_plan(yard.order(FAST))
    with yard.ledger() as ledger:
        ledger.append(entry(Arm.model_validate(FAST)))
        ledger.append(plan)
        with pytest.raises(BadFileError, match=r"was planned without its arm .* on record; order a new run"):
            arms_of(ledger, plan)


async def test_the_target_is_asked_again_right_before_the_launch(tmp_path: Path) -> None:
    yard = BenchYard(tmp_path)
    order = yard.order()
    strict = order.target.model_copy(update={"allowed_flags": {}})
    with yard.ledger() as ledger:
        plan = commit_plan(ledger, order)
        assert list(launchable(ledger, plan, order.target)) == list(plan.arms)
        with pytest.raises(BadFileError, match=r"'token-s' = 0\.0005 is not listed for target 'small'"):
            launchable(ledger, plan, strict)
        unchecked = order.model_copy(update={"target": strict, "run": "measure-test-000002"})
        with pytest.raises(BadFileError, match="is not listed for target 'small'"):
            await yard.measurement(unchecked, ledger, []).run()
    assert not (yard.place / "guardian.json").exists()
