"""The engine's time limit must be above the longest prefill (lesson S5)."""

from harness.rules.rule import VLLM, Finding, Rule, Setup, fault

VARIABLE = "VLLM_EXECUTE_MODEL_TIMEOUT_SECONDS"
DEFAULT_S = 300  # the engine's own


def _look(setup: Setup) -> tuple[Finding, ...]:
    longest = setup.known.longest_prefill_s
    if longest is None:
        return ()
    given = setup.env.get(VARIABLE, "")
    limit = int(given) if given.isdigit() else DEFAULT_S
    if limit > longest:
        return ()
    whose = f"{VARIABLE} is {limit}" if given.isdigit() else f"the engine's limit is {limit} s unless {VARIABLE} is set"
    return fault(f"{whose}, and one prefill takes {longest:g} s: the engine ends itself in the middle of it; raise it")


RULE = Rule("the engine waits longer than its longest prefill takes", frozenset({VLLM}), _look)
