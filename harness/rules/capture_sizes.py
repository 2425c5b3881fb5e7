"""Captured graph sizes survive only if 1 + draft tokens divides them (lesson S7)."""

from harness.rules.rule import VLLM, WHOLE, Finding, Rule, Setup, caution, fault

FLAG = "cudagraph-capture-sizes"


def surviving(sizes: tuple[int, ...], draft_tokens: int) -> tuple[int, ...]:
    """The sizes that are multiples of 1 + draft tokens."""
    return tuple(size for size in sizes if size % (1 + draft_tokens) == 0)


def sizes_of(setup: Setup) -> tuple[int, ...]:
    """The sizes that are asked for; none if they cannot be read."""
    told = setup.said(FLAG) or setup.inside("compilation-config").get(FLAG, "")
    words = str(told).strip("[]").replace(",", " ").split()
    sizes = tuple(int(word) for word in words if WHOLE.fullmatch(word))
    return sizes if len(sizes) == len(words) and min(sizes, default=1) > 0 else ()


def _look(setup: Setup) -> tuple[Finding, ...]:
    sizes, draft = sizes_of(setup), setup.draft_tokens
    if not sizes:
        return ()
    kept = surviving(sizes, draft)
    if not kept:
        return fault(
            f"with {draft} draft tokens only multiples of {1 + draft} are captured, and none of "
            f"{', '.join(map(str, sizes))} is one: every step runs without a graph"
        )
    most = max(kept) // (1 + draft)
    found: tuple[Finding, ...] = ()
    if len(kept) < len(sizes):
        lost = ", ".join(str(size) for size in sizes if size not in kept)
        found = caution(
            f"with {draft} draft tokens the capture sizes {lost} are dropped; {len(kept)} of {len(sizes)} stay"
        )
    seats = setup.number("max-num-seqs") or setup.users
    if most < seats:
        found += caution(
            f"the largest captured size serves {most} users at once and {seats} may come: above {most} a step "
            f"runs without a graph; add {seats * (1 + draft)} to {FLAG}"
        )
    return found


RULE = Rule("capture sizes are multiples of 1 + draft tokens and reach the number of users", frozenset({VLLM}), _look)
