"""Weights made for the range of bfloat16 may overflow in float16 (lessons S8, M4)."""

from harness.rules.rule import VLLM, Finding, Rule, Setup, caution


def _look(setup: Setup) -> tuple[Finding, ...]:
    made_for = setup.model.number_format if setup.model else ""
    if made_for != "BF16" or setup.said("dtype") not in ("float16", "half"):
        return ()
    return caution(
        "the model's weights are BF16 and dtype asks for float16, whose range is smaller: activations may become "
        "infinite; look at the texts (gate `coherent`), not at the speed alone"
    )


RULE = Rule("weights in BF16 are not computed in float16 unnoticed", frozenset({VLLM}), _look)
