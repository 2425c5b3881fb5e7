"""The campaign's proposals may be submitted as they are, and every arm has a conclusion; the runs are a benchmark."""

from pathlib import Path

import pytest

from benchmarks.campaign import EXPECTED, ORDER, Expected, line, of, ordered
from benchmarks.campaign_cpu import PROPOSALS
from benchmarks.campaign_cpu import line as cpu_line
from committee.proposals.check import check, passes
from committee.proposals.folder import load
from committee.proposals.revision import freeze
from harness.vocabulary.target import Target
from tests.ledger.examples import verdict

ROOT = Path(__file__).resolve().parents[2]


def folder(proposal: str) -> Path:
    (found,) = (ROOT / "proposals").glob(f"{proposal}-*")
    return found


@pytest.mark.parametrize("proposal", sorted(EXPECTED))
def test_a_folder_may_be_submitted_and_every_arm_has_a_conclusion(proposal: str) -> None:
    loaded = load(folder(proposal))
    target = Target.from_toml(ROOT / "targets" / f"{loaded.header.target}.toml")
    assert target.title.startswith("SIMULATOR")
    assert passes(check(loaded, freeze(folder(proposal)), target, None))
    assert {arm.name for arm in loaded.arms} == {one.arm for one in EXPECTED[proposal]}


@pytest.mark.parametrize("proposal", PROPOSALS)
def test_a_question_for_the_real_server_may_be_submitted(proposal: str) -> None:
    loaded = load(folder(proposal))
    assert loaded.header.target == "local-llamacpp"
    target = Target.from_toml(ROOT / "targets" / "local-llamacpp.toml")
    assert passes(check(loaded, freeze(folder(proposal)), target, None))


def test_a_row_says_the_change_with_its_bounds_and_its_spread() -> None:
    said = cpu_line("0015", "keys-q8", verdict())
    assert said == "| 0015 | keys-q8 | FASTER | IDENTICAL | +44.5 (+30.2 to +60.0) | 4.7 | 9 | 4 |"


def test_a_conclusion_may_be_about_another_metric_than_the_primary_one() -> None:
    about_guard = Expected("chunks-of-8192", frozenset({"SAME"}), metric="probe_done_share")
    primary = verdict(arm_name="chunks-of-8192")
    guard = verdict(arm_name="chunks-of-8192", metric="probe_done_share", primary=False, speed="SAME")
    assert of(about_guard, (primary, guard)) is guard
    assert of(Expected("chunks-of-8192", frozenset({"FASTER"})), (guard, primary)) is primary
    good, words = line("0012", about_guard, guard)
    assert good and "chunks-of-8192, probe_done_share" in words


def test_what_comes_out_otherwise_is_seen() -> None:
    (expected,) = EXPECTED["0008"]
    assert line("0008", expected, verdict())[0]
    assert not line("0008", expected, verdict(speed="SAME"))[0]
    assert not line("0008", expected, None)[0]
    changed = EXPECTED["0004"][0]
    assert not line("0004", changed, verdict(speed="SAME", numerics="IDENTICAL"))[0]
    assert line("0004", changed, verdict(speed="SAME", numerics="CHANGED"))[0]


def test_the_order_of_two_arms_comes_from_their_changes() -> None:
    (pair, *_) = ORDER["0003"]
    span = verdict().interval
    assert span is not None
    better = verdict(arm_name="spec-core-op", interval=span)
    worse = verdict(arm_name="full-forward", interval=span.model_copy(update={"estimate_pct": -50.0}))
    assert ordered("0003", pair, (worse, better))[0]
    assert not ordered("0003", pair, (better, worse.model_copy(update={"interval": None})))[0]
    assert "below" in ordered("0003", ("", "full-forward", "spec-core-op"), (better, worse))[1]
    arms = {arm.name for arm in load(folder("0003")).arms}
    assert {name for _, *names in ORDER["0003"] for name in names} <= arms
