"""A budget of batched tokens below the context cuts long prompts into pieces (lesson M7b), where pieces are allowed."""

from harness.rules.rule import VLLM, Finding, Rule, Setup, caution, fault


def _look(setup: Setup) -> tuple[Finding, ...]:
    context, budget = setup.number("max-model-len"), setup.number("max-num-batched-tokens")
    if context is not None and budget is not None and budget < context and _whole_only(setup):
        return fault(
            f"prompts are not cut where chunked prefill is off, so vLLM refuses a budget of {budget:,} batched tokens "
            f"below max-model-len {context:,} and does not start; raise max-num-batched-tokens to {context:,} or allow "
            "chunked prefill"
        )
    chunk = setup.number("long-prefill-token-threshold") or budget  # 0 is none
    if context is None or budget is None or chunk is None or (budget := min(budget, chunk)) >= context:
        return ()
    pieces = -(-context // budget)
    return caution(
        f"a prompt of {context:,} tokens is taken in {pieces} pieces by a budget of {budget:,}; prompts up to the "
        "budget are not cut, so lengths on both sides of it must not be put into one line"
    )


def _whole_only(setup: Setup) -> bool:
    """Whether the start says that a prompt must be taken in one piece."""
    off = setup.said("no-enable-chunked-prefill", "false").lower()
    return off != "false" or setup.said("enable-chunked-prefill").lower() == "false"


RULE = Rule("the longest prompt fits the budget of batched tokens", frozenset({VLLM}), _look)
