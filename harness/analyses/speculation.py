"""Speculative decoding on paper: what acceptance and draft cost are worth, before anybody builds anything (lesson M9).

S(a, g, c) = (1 - a^(g+1)) / ((1 - a) (g c + f + 1)): Leviathan, Kalman, Matias, "Fast Inference from Transformers via
Speculative Decoding" (ICML 2023), theorem 3.8; f, a fixed cost a step in units of one target step, is added here.
"""

from typing import Self

import scipy  # its parts load when they are first used
from pydantic import Field, model_validator

from harness.analyses.answer import Answer, Chart, Fact, Line, NoNumber, Result
from harness.analyses.limits import Cost, TokS
from harness.vocabulary.base import Value

MOST_DRAFT_TOKENS = 32  # longer drafts are not looked at: acceptance falls with depth and the formula's a does not
FILTERED = 0.95  # drafted below this share of steps x draft tokens: the drafter was asked less often than every step


class Counters(Value):
    """What a server counted in one run."""

    generated_tokens: int = Field(ge=0, description="tokens that were given out")
    accepted: int = Field(ge=0, description="draft tokens that were accepted")
    drafted: int = Field(ge=0, description="draft tokens that were proposed")
    steps: int | None = Field(default=None, ge=0, description="target steps; without it generated less accepted")


class Speculation(Value):
    """One speculative configuration."""

    draft_tokens: int = Field(ge=1, le=MOST_DRAFT_TOKENS, description="draft tokens a step (g)")
    acceptance: float | None = Field(default=None, ge=0, le=1, description="chance that a draft token is accepted (a)")
    counters: Counters | None = Field(default=None, description="the server's counters, instead of an acceptance")
    draft_cost: Cost | None = Field(default=None, description="one draft step over one target step (c)")
    fixed_cost: Cost = Field(default=0.0, description="further cost a step, in target steps (f)")
    baseline_tok_s: TokS | None = Field(default=None, description="rate without speculation, same session")
    measured_tok_s: TokS | None = Field(default=None, description="rate with it, from which the cost follows")
    users: int = Field(default=1, ge=1, le=4096, description="users at once when the rates were measured")
    wanted_speed_up: float = Field(
        default=1.0, gt=0, le=1 + MOST_DRAFT_TOKENS, description="what a and c would have to reach"
    )

    @model_validator(mode="after")
    def _one_source_each(self) -> Self:
        if (self.acceptance is None) == (self.counters is None):
            raise ValueError("give either acceptance or counters")
        if self.draft_cost is None and (self.measured_tok_s is None or self.baseline_tok_s is None):
            raise ValueError("give draft_cost, or measured_tok_s and baseline_tok_s from which it follows")
        if self.draft_cost is not None and self.measured_tok_s is not None:
            raise ValueError("give draft_cost or measured_tok_s, not both")
        return self


def tokens_a_step(acceptance: float, draft_tokens: int) -> float:
    """Expected tokens of one step: accepted ones and the target's own."""
    return float(sum(acceptance**power for power in range(draft_tokens + 1)))


def speed_up(acceptance: float, draft_tokens: int, cost: float, fixed: float = 0.0) -> float:
    """Rate with speculation over rate without, for one user whose target step costs the same either way."""
    return tokens_a_step(acceptance, draft_tokens) / (draft_tokens * cost + fixed + 1)


def acceptance_of(counters: Counters, draft_tokens: int) -> float | NoNumber:
    """The formula's a from counters: accepted over drafted is the mean over a draft, a the chance of each token."""
    if counters.drafted == 0 or counters.accepted > counters.drafted:
        return NoNumber(f"{counters.accepted} accepted of {counters.drafted} drafted give no acceptance; check them")
    share = counters.accepted / counters.drafted
    if draft_tokens == 1 or share in (0.0, 1.0):
        return share

    def difference(acceptance: float) -> float:
        return (tokens_a_step(acceptance, draft_tokens) - 1) / draft_tokens - share

    return float(scipy.optimize.brentq(difference, 0.0, 1.0))


def analyse(asked: Speculation) -> Result:
    """Speed-up, break-even, best draft length, and what a wanted speed-up takes."""
    cautions: list[str] = []
    facts: list[Fact] = []
    g = asked.draft_tokens
    if asked.counters is not None:
        if asked.counters.accepted > asked.counters.generated_tokens:
            return NoNumber("more draft tokens were accepted than tokens came out; check that both are of one run")
        steps = asked.counters.steps
        steps = asked.counters.generated_tokens - asked.counters.accepted if steps is None else steps
        if steps <= 0:
            return NoNumber(f"{steps} steps carry no rate; give the counters of a run that generated something")
        if said := _impossible(asked.counters, steps, g * asked.users):
            return NoNumber(said)
        found = acceptance_of(asked.counters, g)
        if isinstance(found, NoNumber):
            return found
        acceptance = found
        facts.append(Fact("drafted a step", asked.counters.drafted / steps, "tokens", 3))
        cautions += _denominators(asked.counters, steps, g)
    else:
        acceptance = float(asked.acceptance or 0.0)
    cost = asked.draft_cost
    if cost is None:
        ratio = float(asked.measured_tok_s or 0.0) / float(asked.baseline_tok_s or 1.0)
        cost = (tokens_a_step(acceptance, g) / ratio - 1 - asked.fixed_cost) / g
        if cost < 0:
            return NoNumber(
                f"a speed-up of {ratio:.3g} is more than acceptance {acceptance:.3g} allows at any cost; "
                "check that both rates come from one session"
            )
    facts += _facts(asked, acceptance, cost)
    cautions += _best(acceptance, cost, asked.fixed_cost)
    if asked.users > 1 and asked.draft_cost is not None:
        cautions.append(
            f"the formula is one user's: {asked.users} share the weights of a target step already, so drafting costs "
            "more of it; give measured_tok_s and baseline_tok_s of that load instead of draft_cost"
        )
    return Answer(tuple(facts), tuple(cautions), _chart(acceptance, cost, asked.fixed_cost))


def _facts(asked: Speculation, acceptance: float, cost: float) -> list[Fact]:
    g, fixed = asked.draft_tokens, asked.fixed_cost
    gain = speed_up(acceptance, g, cost, fixed)
    lengths = range(1, MOST_DRAFT_TOKENS + 1)
    best = max(lengths, key=lambda length: speed_up(acceptance, length, cost, fixed))
    facts = [
        Fact("acceptance", acceptance, "", 3),
        Fact("draft cost", cost, "target steps"),
        Fact("tokens a step", tokens_a_step(acceptance, g), "tokens"),
        Fact("speed-up", gain, "", 3),
        Fact("best draft length", best, "tokens"),
        Fact("speed-up at the best draft length", speed_up(acceptance, best, cost, fixed), "", 3),
    ]
    if asked.baseline_tok_s is not None:
        facts.append(Fact("rate", gain * asked.baseline_tok_s, "tok/s", 3))
    even = (tokens_a_step(acceptance, g) - 1 - fixed) / g
    if even >= 0:
        facts.append(Fact("break-even cost", even, "target steps", 3))
    for name, wanted in (("break-even acceptance", 1.0), ("acceptance for the wanted speed-up", asked.wanted_speed_up)):
        needed = _needed_acceptance(wanted, g, cost, fixed)
        if needed is not None:
            facts.append(Fact(name, needed, "", 3))
    needed_cost = (tokens_a_step(acceptance, g) / asked.wanted_speed_up - 1 - fixed) / g
    if needed_cost >= 0:
        facts.append(Fact("cost for the wanted speed-up", needed_cost, "target steps", 3))
    return facts


def _best(acceptance: float, cost: float, fixed: float) -> list[str]:
    """What the best draft length is not: none at all may be better, and longer ones are not looked at."""
    gains = [speed_up(acceptance, length, cost, fixed) for length in range(1, MOST_DRAFT_TOKENS + 1)]
    if max(gains) < 1:
        return ["no draft length pays: without speculation this server is faster"]
    if gains[-1] == max(gains) > min(gains):
        return [
            f"the best draft length is the longest that is looked at, {MOST_DRAFT_TOKENS}; acceptance falls with depth"
        ]
    return []


def _needed_acceptance(wanted: float, draft_tokens: int, cost: float, fixed: float) -> float | None:
    """The acceptance at which that speed-up is reached; none if not even 1 reaches it."""
    if speed_up(1.0, draft_tokens, cost, fixed) < wanted:
        return None
    if speed_up(0.0, draft_tokens, cost, fixed) >= wanted:
        return 0.0
    return float(scipy.optimize.brentq(lambda a: speed_up(a, draft_tokens, cost, fixed) - wanted, 0.0, 1.0))


def _impossible(counters: Counters, steps: int, most_a_step: int) -> str | None:
    """Why these counters cannot be of one run; none where they can. The last step may have been cut by the limit."""
    if steps > counters.generated_tokens:
        return (
            f"{steps} steps gave out {counters.generated_tokens} tokens, and each gives at least one; check that both "
            "counters are of one run and that none was set back in between"
        )
    if counters.drafted > (steps + 1) * most_a_step:
        return (
            f"{counters.drafted} tokens were drafted in {steps} steps, and no more than {most_a_step} are drafted a "
            "step; check draft_tokens, users, and that both counters are of one run"
        )
    return None


def _denominators(counters: Counters, steps: int, draft_tokens: int) -> list[str]:
    """What the same counters say over the wrong denominator, and whether a filter thinned the drafts."""
    right = counters.drafted / steps
    said = []
    if counters.generated_tokens:
        wrong = counters.drafted / counters.generated_tokens
        said.append(
            f"drafted over generated tokens is {wrong:.3g}, over steps {right:.3g}: an accepted draft makes one step "
            "give several tokens, so only steps are the right denominator"
        )
    if right < FILTERED * draft_tokens:
        said.append(
            f"{right:.3g} tokens were drafted a step where {draft_tokens} were asked for: a filter was active and the "
            "acceptance is of the drafts it let through, not comparable with an unfiltered one"
        )
    return said


def _chart(acceptance: float, cost: float, fixed: float) -> Chart:
    lengths = tuple(float(length) for length in range(1, 17))
    ours = tuple(speed_up(acceptance, int(length), cost, fixed) for length in lengths)
    even = Line("no gain", (lengths[0], lengths[-1]), (1.0, 1.0))
    name = f"a = {acceptance:.3g}, c = {cost:.3g}"
    return Chart("Speed-up over draft length", "draft tokens a step", "speed-up", (Line(name, lengths, ours), even))
