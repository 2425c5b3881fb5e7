"""The pool of cache blocks must hold every user's full context (lesson R5)."""

from harness.rules.rule import LLAMACPP, VLLM, Finding, Rule, Setup, caution


def _look(setup: Setup) -> tuple[Finding, ...]:
    return _pool(setup) if setup.engine == VLLM else _slots(setup)


def _pool(setup: Setup) -> tuple[Finding, ...]:
    context, pool = setup.number("max-model-len"), setup.known.kv_pool_tokens
    if context is None or pool is None:
        return ()
    needed = setup.users * context
    if pool >= needed:
        return ()
    return caution(
        f"{setup.users} users of {context:,} tokens need {needed:,} tokens of cache and the pool holds {pool:,}: "
        "the last ones wait for blocks"
    )


def _slots(setup: Setup) -> tuple[Finding, ...]:
    """llama.cpp divides its context over the slots unless the cache is unified."""
    context, slots = setup.number("ctx-size"), setup.number("n-parallel") or setup.number("parallel")
    if not context or not slots or slots < 2 or setup.said("kv-unified") == "true":
        return ()
    return caution(
        f"{slots} slots share a context of {context:,}: one user has {context // slots:,} tokens, and a longer "
        "prompt is refused or cut"
    )


RULE = Rule("every user's full context has a place in the cache", frozenset({VLLM, LLAMACPP}), _look)
