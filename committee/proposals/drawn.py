"""The figures of a new proposal, drawn from its target: loads, length of answers, blocks, server budget. Pure."""

import math
from dataclasses import dataclass

from harness.planning import blocks_needed, visible_effect_pct
from harness.vocabulary.criteria import Criteria
from harness.vocabulary.outcome import GateName
from harness.vocabulary.target import Target
from harness.workflow.lint import beyond_proof
from harness.workflow.plan import downtime_s

FEWEST_BLOCKS, MOST_BLOCKS = (
    4,
    12,
)  # fewer show no spread; more are a person's decision, with the cost before their eyes
EFFECT_PCT = 10  # the smallest effect that matters, until the author says otherwise
ARMS = 6  # an author's few and those of the reviewers: for so many the budget is drawn
LEVEL = 0.05
GATES = (GateName.READY, GateName.ARMED, GateName.ISOLATED, GateName.COHERENT)  # of which each engine gets what it can
SHORT, LONG = 64, 256  # tokens of an answer
LONG_START_S = 30  # where a start takes longer than this, longer answers cost little beside it
BUDGET_STEP_MIN = 5  # a budget is a round number of minutes


@dataclass(frozen=True)
class Drawn:
    """What the templates are filled with, beside names."""

    steps: tuple[int, ...]
    tokens: int
    blocks: int  # so many that one of ARMS arms is seen at EFFECT_PCT, between FEWEST_BLOCKS and MOST_BLOCKS
    downtime_s: float  # expected, of ARMS arms in these blocks
    sees_pct: float  # smallest gain that one of ARMS arms needs to be seen with power 0.9

    @property
    def server_minutes(self) -> int:
        """The budget: the expected downtime, rounded up."""
        return BUDGET_STEP_MIN * math.ceil(self.downtime_s / 60 / BUDGET_STEP_MIN)


def drawn_from(target: Target) -> Drawn:
    """The figures for a proposal about this target."""
    steps = ladder_for(target.users)
    tokens = LONG if target.planning.start_s > LONG_START_S else SHORT
    spread_pct = target.planning.launch_sd_pct
    needed = blocks_needed(EFFECT_PCT, spread_pct, ARMS, LEVEL) or MOST_BLOCKS
    blocks = min(max(needed, FEWEST_BLOCKS), MOST_BLOCKS)
    criteria = Criteria.from_mapping(
        {
            "schema": 1,
            "blocks": blocks,
            "level": LEVEL,
            "ladder": {"steps": steps, "tokens": tokens},
            "primary": {"metric": "total_tok_s", "load": target.users, "smallest_effect_pct": EFFECT_PCT},
            "numerics": {"policy": "identical"},
        },
        "the criteria of a new proposal",
    )
    sees_pct = visible_effect_pct(spread_pct, blocks, ARMS, LEVEL)
    return Drawn(steps, tokens, blocks, downtime_s(target.planned, criteria, ARMS), sees_pct)


def ladder_for(users: int) -> tuple[int, ...]:
    """Doubling up to so many users and down again; from eight on the top is taken twice (1-2-4-8-8-4-2-1)."""
    up = [2**power for power in range(users.bit_length()) if 2**power < users]
    top = [users, users] if users >= 8 else [users]
    return (*up, *top, *reversed(up))


def filled(text: str, target: Target, proposal: str) -> str:
    """A template's text with its places filled."""
    drawn = drawn_from(target)
    planning = target.planning
    sees = f"with {planning.launch_sd_pct:g} % between launches they see {drawn.sees_pct:.0f} % for one of {ARMS} arms"
    beyond = beyond_proof(target)
    gates, without = ", ".join(f'"{gate}"' for gate in GATES if gate not in beyond), ", ".join(sorted(beyond))
    places = {
        "gates": f"[{gates}]",
        "why_gates": f" # not {without}: adapter {target.adapter!r} reads no counts to prove it" if beyond else "",
        "id": proposal,
        "target": target.name,
        "users": str(target.users),
        "start_s": f"{planning.start_s:g}",
        "rate": f"{planning.user_tok_s:g}",
        "blocks": str(drawn.blocks),
        "arms": str(ARMS),
        "effect": str(EFFECT_PCT),
        "sees": sees,
        "steps": str(list(drawn.steps)),
        "tokens": str(drawn.tokens),
        "why_tokens": f"; a start takes {planning.start_s:g} s, so a long one costs little"
        if drawn.tokens == LONG
        else "",
        "minutes": f"{drawn.downtime_s / 60:.0f}",
        "server_minutes": str(drawn.server_minutes),
    }
    for place, value in places.items():
        text = text.replace(f"{{{{{place}}}}}", value)
    return text
