"""Captured graph sizes and draft tokens: the V100 fork keeps only multiples of 1 + draft tokens (lesson S7), mainline
vLLM rounds sizes up to multiples and drops what is then above the largest size."""

import re

from harness.rules.rule import VLLM, WHOLE, Finding, Rule, Setup, caution, fault

FLAG = "cudagraph-capture-sizes"
OF_FORK = re.compile(r"(^|[_-])(V100|SM70)([_-]|$)", re.IGNORECASE)  # names that mainline does not have
SPLITS = "tq-max-kv-splits-for-cuda-graph"


def surviving(sizes: tuple[int, ...], draft_tokens: int) -> tuple[int, ...]:
    """The sizes that are multiples of 1 + draft tokens."""
    return tuple(size for size in sizes if size % (1 + draft_tokens) == 0)


def rounded(sizes: tuple[int, ...], draft_tokens: int) -> tuple[int, ...]:
    """The sizes as mainline makes them: `CompilationConfig.adjust_cudagraph_sizes_for_spec_decode` of vLLM 0.13."""
    each, most = 1 + draft_tokens, max(sizes)
    found = {-(-size // each) * each for size in sizes}
    return tuple(sorted(size for size in found if size <= most)) or ((each,) if each <= most else ())


def is_fork(setup: Setup) -> bool:
    """Whether the start names what only the V100 fork has: a variable, its splits, its partitions, its style."""
    named = any(OF_FORK.search(name) for name in (*setup.env, *setup.words))
    return named or setup.has(SPLITS) or bool(setup.known.decode_partitions)


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
    kept, fork = surviving(sizes, draft), is_fork(setup)
    if fork and not kept:
        return fault(
            f"with {draft} draft tokens only multiples of {1 + draft} are captured, and none of "
            f"{', '.join(map(str, sizes))} is one: every step runs without a graph"
        )
    found: tuple[Finding, ...] = ()
    if fork and len(kept) < len(sizes):
        lost = ", ".join(str(size) for size in sizes if size not in kept)
        found = caution(
            f"with {draft} draft tokens the capture sizes {lost} are dropped; {len(kept)} of {len(sizes)} stay"
        )
    if not fork:
        kept, found = rounded(sizes, draft), _unmatched(sizes, draft) if not kept else ()
    most, seats = max(kept, default=0) // (1 + draft), setup.number("max-num-seqs") or setup.users
    if kept and most < seats:
        found += caution(
            f"the largest captured size serves {most} users at once and {seats} may come: above {most} a step "
            f"runs without a graph; add {seats * (1 + draft)} to {FLAG}"
        )
    return found


def _unmatched(sizes: tuple[int, ...], draft: int) -> tuple[Finding, ...]:
    """Mainline, where no size is a multiple."""
    each, named = 1 + draft, ", ".join(map(str, sizes))
    made = ", ".join(map(str, rounded(sizes, draft)))
    what = f"vLLM makes {made} of them" if made else "none reaches that, and vLLM does not start in versions that round"
    return caution(
        f"with {draft} draft tokens a user's step has {each} tokens, and none of the capture sizes {named} is a "
        f"multiple of it: {what} (older versions leave such steps without a whole graph); "
        f"write multiples of {each}"
    )


RULE = Rule("capture sizes are multiples of 1 + draft tokens and reach the number of users", frozenset({VLLM}), _look)
