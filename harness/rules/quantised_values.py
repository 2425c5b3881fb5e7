"""A quantised cache of values needs flash attention in llama.cpp."""

from harness.rules.rule import BENCH, LLAMACPP, Finding, Rule, Setup, fault

PLAIN = frozenset({"", "f16", "f32", "bf16"})


def _look(setup: Setup) -> tuple[Finding, ...]:
    kind = setup.said("cache-type-v") or setup.said("ctv")
    flash = setup.said("flash-attn") or setup.said("fa")
    if kind in PLAIN or flash not in ("off", "0", "false"):
        return ()
    return fault(
        f"cache-type-v = {kind!r} needs flash attention, which is off: the start is refused; leave it on or auto"
    )


RULE = Rule("quantised values come with flash attention", frozenset({BENCH, LLAMACPP}), _look)
