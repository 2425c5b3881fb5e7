"""The simulator's truth of each arm is what the campaign found, whatever a run on a busy machine measures."""

import math

import pytest

from benchmarks.campaign import EXPECTED, FASTER, ORDER, ROOT, SLOWER
from committee.proposals.folder import load
from committee.vocabulary.proposal import LoadedProposal
from harness.adapters.base import command, dashed, environment, merged_flags
from harness.simulator.faults import Fault
from harness.simulator.process import plan_of
from harness.simulator.settings import numbers
from harness.simulator.truth import Truth, step
from harness.vocabulary.arm import Arm
from harness.vocabulary.target import Target
from tests.benchmarks.test_campaign import folder

LADDERS = ("0002", "0003", "0004", "0005", "0008", "0013", "0014")
PROMPT_TOKENS = 40


def truth(target: Target, arm: Arm | None, users: int, tokens: int) -> Truth | None:
    """The true metrics of an arm; none where the start or every text is spoilt."""
    words = (*command(target), *dashed(merged_flags(target, arm)))
    try:
        plan = plan_of(words[words.index("harness.simulator") + 1 :], dict(environment(target, arm)))
    except ValueError:
        return None
    built = numbers(plan.settings.text("partitions"))
    if set(plan.settings.faults.values) - {Fault.CHANGED_NUMERICS} or plan.engine.partition not in built:
        return None
    return step(plan.engine.pace, plan.engine.limits, users, PROMPT_TOKENS, tokens)


def change_pct(proposal: LoadedProposal, arm: str, metric: str, users: int) -> float | None:
    """True change of an arm against the baseline, percent; none where no number may exist."""
    target = Target.from_toml(ROOT / "targets" / f"{proposal.header.target}.toml")
    (chosen,) = (one for one in proposal.arms if one.name == arm)
    tokens = proposal.criteria.ladder.tokens
    before, after = truth(target, None, users, tokens), truth(target, chosen, users, tokens)
    assert before is not None
    return None if after is None else 100 * (getattr(after, metric) / getattr(before, metric) - 1)


@pytest.mark.parametrize("proposal", LADDERS)
def test_the_truth_of_every_arm_is_the_campaigns_conclusion(proposal: str) -> None:
    asked = load(folder(proposal))
    primary = asked.criteria.primary
    guards = {str(guard.metric): guard.load for guard in asked.criteria.guard}
    for expected in EXPECTED[proposal]:
        users = guards[expected.metric] if expected.metric else primary.load
        found = change_pct(asked, expected.arm, expected.metric or str(primary.metric), users)
        least = primary.smallest_effect_pct
        if expected.words == FASTER:
            assert found is not None and found > least, expected
        elif expected.words == SLOWER:
            assert found is not None and found < -least, expected
        elif expected.words == {"INVALID"}:
            assert found is None, expected
        else:
            assert found is not None and abs(found) < least, expected


@pytest.mark.parametrize("pair", ORDER["0003"])
def test_the_order_of_the_switches_is_the_campaigns(pair: tuple[str, str, str]) -> None:
    asked = load(folder("0003"))
    metric, *names = pair
    more, less = (change_pct(asked, name, metric or "user_tok_s", 1) for name in names)
    assert more is not None and less is not None and more > less


def test_the_campaigns_figures_are_in_the_truth() -> None:
    asked = load(folder("0003"))
    four = change_pct(asked, "core-op-and-graph", "user_tok_s", 4)
    alone = change_pct(asked, "core-op-and-graph", "user_tok_s", 1)
    assert four is not None and math.isclose(1 + four / 100, 0.32, abs_tol=0.03)
    assert alone is not None and math.isclose(1 + alone / 100, 0.58, abs_tol=0.05)


@pytest.mark.parametrize(
    ("metric", "users", "before", "after"),
    [("total_tok_s", 4, 86.74, 107.75), ("total_tok_s", 8, 133.14, 153.86), ("user_tok_s", 1, 69.42, 68.15)],
)
def test_the_model_file_is_worth_what_it_was_at_every_load_that_was_measured(
    metric: str, users: int, before: float, after: float
) -> None:
    found = change_pct(load(folder("0002")), "iq4xs-file", metric, users)
    assert found is not None and math.isclose(found, 100 * (after / before - 1), abs_tol=0.3)


def test_no_single_length_of_answers_gives_all_of_the_campaigns_totals() -> None:
    """Why differences are held and totals are not: alone its answers look longest, at four shortest."""
    target = Target.from_toml(ROOT / "targets" / "campaign-q4km.toml")
    (arm,) = (one for one in load(folder("0002")).arms if one.name == "iq4xs-file")

    def reaches(users: int, tokens: int, total_tok_s: float) -> bool:
        found = truth(target, arm, users, tokens)
        return found is not None and found.total_tok_s >= total_tok_s

    assert reaches(4, 150, 107.7) and not reaches(8, 150, 152.8)
    assert reaches(8, 220, 152.8) and not reaches(1, 220, 59.4)
