"""The engine's time limit must be above the longest prefill (lesson S5)."""

import math

from harness.analyses.growth import LONGEST_S, exponent
from harness.rules.rule import VLLM, WHOLE, Finding, Rule, Setup, fault

VARIABLE = "VLLM_EXECUTE_MODEL_TIMEOUT_SECONDS"
DEFAULT_S = 300  # the engine's own


def predicted_s(setup: Setup) -> float | None:
    """Prefill of a full context, by the exponent of the two longest that were measured; none where nothing says it."""
    measured = sorted({one.tokens: one.seconds for one in setup.known.prefills}.items())
    context = setup.number("max-model-len")
    if context is None or len(measured) < 2:
        return None
    (longest, seconds), before = measured[-1], measured[-2]
    if context <= longest:
        return None
    log_seconds = math.log(seconds) + exponent(before, (longest, seconds)) * math.log(context / longest)
    return math.exp(log_seconds) if log_seconds < math.log(LONGEST_S) else None


def _look(setup: Setup) -> tuple[Finding, ...]:
    measured, predicted = setup.known.longest_prefill_s, predicted_s(setup)
    known = [one for one in (measured, predicted, *(one.seconds for one in setup.known.prefills)) if one is not None]
    if not known:
        return ()
    longest = max(known)
    given = setup.env.get(VARIABLE, "")
    told = WHOLE.fullmatch(given) is not None
    limit = int(given) if told else DEFAULT_S
    if limit > longest:
        return ()
    whose = f"{VARIABLE} is {limit}" if told else f"the engine's limit is {limit} s unless {VARIABLE} is set"
    takes = "is predicted to take" if longest == predicted else "takes"
    return fault(
        f"{whose}, and one prefill {takes} {longest:.4g} s: the engine ends itself in the middle of it; raise it"
    )


RULE = Rule("the engine waits longer than its longest prefill takes", frozenset({VLLM}), _look)
