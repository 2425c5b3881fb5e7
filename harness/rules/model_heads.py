"""A model's attention heads must divide over the cards that share it (lesson S8)."""

from harness.rules.rule import VLLM, Finding, Rule, Setup, fault


def _look(setup: Setup) -> tuple[Finding, ...]:
    heads, cards = setup.model.heads if setup.model else None, setup.number("tensor-parallel-size")
    if not heads or not cards or cards < 1 or heads % cards == 0:
        return ()
    fitting = max(count for count in range(1, min(cards, heads + 1)) if heads % count == 0)
    return fault(
        f"the model has {heads} attention heads, which do not divide over tensor-parallel-size {cards}: the start is "
        f"refused; the next smaller size that fits is {fitting}"
    )


RULE = Rule("the model's attention heads divide over the cards", frozenset({VLLM}), _look)
