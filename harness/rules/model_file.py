"""The model file must be whole and say which token ends a generation (lesson S8)."""

from harness.rules.rule import LLAMACPP, VLLM, Finding, Rule, Setup, caution, fault


def _look(setup: Setup) -> tuple[Finding, ...]:
    if setup.model is None:
        return ()
    if setup.model.fault:
        return fault(f"{setup.model.name}: {setup.model.fault}")
    if not setup.model.end_ids:
        return caution(
            f"{setup.model.name}: its header names no token that ends a generation, so answers run to their limit; "
            "check the tokenizer's metadata"
        )
    return ()


RULE = Rule("the model file is whole and names its end-of-generation token", frozenset({VLLM, LLAMACPP}), _look)
