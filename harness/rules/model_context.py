"""The context must be one that the model was trained for; its header says which (lesson S8)."""

from harness.rules.rule import LLAMACPP, VLLM, Finding, Rule, Setup, caution

SCALING = ("rope-scaling", "hf-overrides", "rope-scale", "yarn-orig-ctx")


def _look(setup: Setup) -> tuple[Finding, ...]:
    trained = setup.model.context_length if setup.model else None
    asked = setup.number("max-model-len") if setup.engine == VLLM else setup.number("ctx-size")
    if setup.engine == LLAMACPP and asked and setup.said("kv-unified") != "true":
        asked //= setup.number("n-parallel") or setup.number("parallel") or 1
    if trained is None or asked is None or asked <= trained or any(setup.has(flag) for flag in SCALING):
        return ()
    return caution(
        f"a context of {asked:,} is asked for, and the model's header says it was trained for {trained:,}: beyond that "
        "it needs scaling, or its answers fall apart"
    )


RULE = Rule("the context is within what the model's header says", frozenset({VLLM, LLAMACPP}), _look)
