"""A quantised cache of values needs flash attention in llama.cpp."""

from harness.rules.rule import BENCH, LLAMACPP, Finding, Rule, Setup, fault

PLAIN = frozenset({"", "f16", "f32", "bf16"})
OFF = frozenset({"off", "0", "false"})


def _look(setup: Setup) -> tuple[Finding, ...]:
    kind = setup.said("cache-type-v") or setup.said("ctv")
    flash = setup.said("flash-attn") or setup.said("fa")
    kinds, switches = (set(said.split(",")) for said in (kind, flash))  # llama-bench takes lists
    if kinds <= PLAIN or not switches & OFF:
        return ()
    if len(kinds) > 1 or len(switches) > 1:
        return fault(
            f"cache-type-v = {kind!r} with flash attention {flash!r}: rows of quantised values without it are refused; "
            "measure them in a run of their own, with it on"
        )
    return fault(
        f"cache-type-v = {kind!r} needs flash attention, which is off: the start is refused; leave it on or auto"
    )


RULE = Rule("quantised values come with flash attention", frozenset({BENCH, LLAMACPP}), _look)
