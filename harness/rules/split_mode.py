"""Splitting a model over cards needs cards, and its newest way has conditions of its own (lesson A8)."""

from harness.rules.rule import BENCH, LLAMACPP, Finding, Rule, Setup, caution, fault

PLAIN = frozenset({"", "f16", "f32", "bf16"})
CACHES = ("cache-type-k", "ctk", "cache-type-v", "ctv")


def _look(setup: Setup) -> tuple[Finding, ...]:
    mode, cards = setup.said("split-mode") or setup.said("sm"), setup.known.cards
    found: tuple[Finding, ...] = ()
    if mode in ("layer", "row", "tensor") and cards is not None and cards < 2:
        where = "computes on its CPU" if cards == 0 else "has one card"
        found = caution(
            f"split-mode is {mode} and this host {where}: there is nothing to split, the arm is the baseline"
        )
    if mode != "tensor":
        return found
    if (setup.said("flash-attn") or setup.said("fa")) in ("off", "0", "false"):
        found += fault("split-mode tensor needs flash attention, which is off: the start is refused; leave it on")
    kind = next((said for flag in CACHES if (said := setup.said(flag)) not in PLAIN), None)
    if kind is not None:
        found += fault(f"split-mode tensor cannot hold a cache of type {kind!r}: the start is refused; use f16")
    return found


RULE = Rule("a split over cards has cards, and its conditions hold", frozenset({BENCH, LLAMACPP}), _look)
