"""A model's stated attention interval and its tensors must tell one story; sources said 48 and 49 (lessons S8, R3b)."""

from harness.rules.rule import LLAMACPP, VLLM, Finding, Rule, Setup, caution


def _look(setup: Setup) -> tuple[Finding, ...]:
    model = setup.model
    if model is None or not model.blocks or not model.recurrent_blocks or not model.attention_interval:
        return ()
    working = model.blocks - model.draft_blocks
    stated = working - working // model.attention_interval
    if stated == model.recurrent_blocks:
        return ()
    return caution(
        f"the header states attention every {model.attention_interval} of {working} blocks, so {stated} recurrent, "
        f"and {model.recurrent_blocks} have a recurrent layer's tensors: count by the tensors, not by the interval"
    )


RULE = Rule("the stated attention interval and the tensors tell one story", frozenset({VLLM, LLAMACPP}), _look)
