"""What follows from a start's settings before it is made: decode partition, shared memory, captured graphs, KV tokens.

The formulas are those of the rules `decode-partition`, `shared-memory`, `capture-sizes` and `cache-blocks` (lesson S7);
`harness lint` holds a target against them and is silent where all is well, this prints the figures in any case.
"""

from typing import Self

from pydantic import Field, model_validator

from harness.analyses.answer import Answer, Chart, Fact, Line, NoNumber, Result
from harness.rules.capture_sizes import surviving
from harness.rules.decode_partition import DEFAULT_SPLITS, SPLITS, fewest_splits, partition
from harness.rules.shared_memory import LIMIT_BYTES, shared_bytes
from harness.vocabulary.base import Value

LARGEST = 1 << 30


class Start(Value):
    """Settings of one start; what is left out is not computed."""

    context_tokens: int | None = Field(default=None, ge=1, le=LARGEST, description="longest prompt and answer")
    kv_splits: int = Field(default=DEFAULT_SPLITS, ge=1, le=LARGEST, description="splits of the decode kernel")
    head_dim: int | None = Field(default=None, ge=1, le=LARGEST, description="numbers in one head")
    built: tuple[int, ...] = Field(default=(), description="partitions that the attention binary was built with")
    capture_sizes: tuple[int, ...] = Field(default=(), max_length=1000, description="captured graph sizes asked for")
    draft_tokens: int = Field(default=0, ge=0, le=1000, description="draft tokens a step")
    users: int | None = Field(default=None, ge=1, le=LARGEST, description="users at once")

    @model_validator(mode="after")
    def _positive(self) -> Self:
        if min((*self.built, *self.capture_sizes, 1)) < 1:
            raise ValueError("partitions and capture sizes are at least 1")
        return self


def analyse(asked: Start) -> Result:
    """Each figure that the settings carry, and what of them will not do."""
    facts: list[Fact] = []
    cautions: list[str] = []
    if asked.context_tokens is not None:
        more, said = _decoding(asked, asked.context_tokens)
        facts += more
        cautions += said
        if asked.users is not None:
            facts.append(Fact("KV tokens needed", asked.users * asked.context_tokens, "tokens", 8))
    if asked.capture_sizes:
        more, said = _captured(asked)
        facts += more
        cautions += said
    if not facts:
        return NoNumber("neither a context nor capture sizes are given, so nothing follows; give one of them")
    return Answer(tuple(facts), tuple(cautions), _chart(asked))


def _chart(asked: Start) -> Chart:
    """Partition over contexts around the one asked for, or users of each captured size."""
    if asked.context_tokens is not None:
        contexts = [max(1, asked.context_tokens * eighth // 8) for eighth in range(1, 17)]
        sizes = tuple(float(partition(context, asked.kv_splits)) for context in contexts)
        line = Line(f"{asked.kv_splits} splits", tuple(map(float, contexts)), sizes)
        return Chart("Decode partition over context", "context, tokens", "partition, tokens", (line,))
    kept = surviving(asked.capture_sizes, asked.draft_tokens)
    lines = tuple(
        Line(name, tuple(map(float, some)), tuple(size / (1 + asked.draft_tokens) for size in some), joined=False)
        for name, some in (("stays", kept), ("is dropped", tuple(set(asked.capture_sizes) - set(kept))))
        if some
    )
    return Chart("Users of each capture size", "capture size", "users", lines)


def _decoding(asked: Start, context: int) -> tuple[list[Fact], list[str]]:
    size = partition(context, asked.kv_splits)
    facts = [
        Fact("tokens a split", -(-context // asked.kv_splits), "tokens", 8),
        Fact("decode partition", size, "tokens", 8),
    ]
    cautions = []
    if asked.built and size not in asked.built:
        smaller = max((one for one in asked.built if one < size), default=None)
        way = f", or set {SPLITS} to at least {fewest_splits(context, smaller)}" if smaller else ""
        cautions.append(f"the attention binary has no partition of {size}: build it{way}")
    if asked.head_dim is not None:
        needed = shared_bytes(asked.head_dim, size)
        facts.append(Fact("shared memory of a block", needed, "bytes", 8))
        if needed > LIMIT_BYTES:
            cautions.append(f"a block has {LIMIT_BYTES:,} bytes of shared memory and {needed:,} are needed")
    return facts, cautions


def _captured(asked: Start) -> tuple[list[Fact], list[str]]:
    kept = surviving(asked.capture_sizes, asked.draft_tokens)
    most = max(kept, default=0) // (1 + asked.draft_tokens)
    facts = [
        Fact("capture sizes that stay", len(kept), "sizes"),
        Fact("most users on a captured graph", most, "users"),
    ]
    if asked.users is not None and most < asked.users:
        return facts, [f"with more than {most} users a step runs without a graph, and {asked.users} may come"]
    return facts, []
