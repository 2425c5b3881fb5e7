"""A budget of batched tokens below the context cuts long prompts into pieces (lesson M7b)."""

from harness.rules.rule import VLLM, Finding, Rule, Setup, caution


def _look(setup: Setup) -> tuple[Finding, ...]:
    context, budget = setup.number("max-model-len"), setup.number("max-num-batched-tokens")
    chunk = setup.number("long-prefill-token-threshold") or budget  # 0 is none
    if context is None or budget is None or chunk is None or (budget := min(budget, chunk)) >= context:
        return ()
    pieces = -(-context // budget)
    return caution(
        f"a prompt of {context:,} tokens is taken in {pieces} pieces by a budget of {budget:,}; prompts up to the "
        "budget are not cut, so lengths on both sides of it must not be put into one line"
    )


RULE = Rule("the longest prompt fits the budget of batched tokens", frozenset({VLLM}), _look)
