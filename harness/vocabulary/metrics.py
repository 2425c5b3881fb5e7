"""Which protocol has which metrics, what a recorded name of a metric means, and which numbers are compared."""

from enum import StrEnum

from harness.vocabulary.outcome import LOWER_IS_BETTER, Metric

# Counts, shares and rates of growth that may be 0 or negative: they have no logarithm, so they are recorded and shown,
# and limits are set on them, but they are never compared between launches.
NOT_COMPARED = frozenset(
    {
        Metric.GROWTH_EXPONENT,
        Metric.CACHED_TOKENS,
        Metric.FAILURES,
        Metric.GROWTH_MIB_H,
        Metric.GROWTH_LOW_MIB_H,
        Metric.GROWTH_HIGH_MIB_H,
        Metric.DESCRIPTORS_H,
        Metric.TOOL_AUTO_OK,
        Metric.TOOL_REQUIRED_OK,
        Metric.IDENTICAL_ALONE_SHARE,
        Metric.IDENTICAL_LOADED_SHARE,
        Metric.INCOHERENT,
    }
)


def metric_of(name: str) -> Metric:
    """The metric that a recorded name means: a size may stand behind it, `cold_ttft_ms@16384`. Raises ValueError."""
    return Metric(name.partition("@")[0])


def compared(name: str) -> bool:
    """Whether launches are compared by a recorded number of this name."""
    return name.partition("@")[0] not in NOT_COMPARED


def lower_is_better(name: str) -> bool:
    """Whether a smaller number is the better one; a name that no metric has is taken as larger is better."""
    return name.partition("@")[0] in LOWER_IS_BETTER


class ProtocolName(StrEnum):
    """Every way to load a launch; docs/measuring.md says what each does."""

    LADDER = "ladder"
    MIXED = "mixed"
    DOCUMENTS = "documents"
    SHARED_DOCUMENT = "shared_document"
    NESTED_PREFIX = "nested_prefix"
    PRIORITY = "priority"
    SOAK = "soak"
    BURST = "burst"
    TOOL_CALLS = "tool_calls"
    VISION = "vision"
    IDENTITY = "identity"
    COHERENCE = "coherence"
    TIME_LIMIT = "time_limit"


METRICS: dict[ProtocolName, tuple[Metric, ...]] = {
    ProtocolName.LADDER: (Metric.USER_TOK_S, Metric.TOTAL_TOK_S, Metric.STREAMING_TOK_S, Metric.TTFT_MS),
    ProtocolName.MIXED: (
        Metric.USER_TOK_S,
        Metric.TOTAL_TOK_S,
        Metric.STREAMING_TOK_S,
        Metric.TTFT_MS,
        Metric.TTFT_P95_MS,
    ),
    ProtocolName.DOCUMENTS: (
        Metric.COLD_TTFT_MS,
        Metric.WARM_TTFT_MS,
        Metric.PREFILL_TOK_S,
        Metric.GROWTH_EXPONENT,
        Metric.CACHED_TOKENS,
    ),
    ProtocolName.SHARED_DOCUMENT: (Metric.TTFT_MS, Metric.COST_RATIO, Metric.CACHED_TOKENS),
    ProtocolName.NESTED_PREFIX: (
        Metric.COLD_TTFT_MS,
        Metric.NESTED_TTFT_MS,
        Metric.NESTED_WARMTH,
        Metric.CACHED_TOKENS,
    ),
    ProtocolName.PRIORITY: (
        Metric.PROBE_TTFT_MS,
        Metric.PROBE_ALONE_TTFT_MS,
        Metric.PROBE_DONE_SHARE,
        Metric.DOCUMENTS_DONE_S,
    ),
    ProtocolName.SOAK: (
        Metric.TOTAL_TOK_S,
        Metric.TTFT_MS,
        Metric.TTFT_P95_MS,
        Metric.LONGEST_GAP_MS,
        Metric.FAILURES,
        Metric.GROWTH_MIB_H,
        Metric.GROWTH_LOW_MIB_H,
        Metric.GROWTH_HIGH_MIB_H,
        Metric.DESCRIPTORS_H,
    ),
    ProtocolName.BURST: (Metric.TOTAL_TOK_S, Metric.TTFT_MS, Metric.TTFT_P95_MS),
    ProtocolName.TOOL_CALLS: (Metric.TOOL_AUTO_OK, Metric.TOOL_REQUIRED_OK, Metric.TOOL_CALL_MS),
    ProtocolName.VISION: (Metric.VISION_TOKENS, Metric.TTFT_MS),
    ProtocolName.IDENTITY: (Metric.USER_TOK_S, Metric.IDENTICAL_ALONE_SHARE, Metric.IDENTICAL_LOADED_SHARE),
    ProtocolName.COHERENCE: (Metric.USER_TOK_S, Metric.INCOHERENT),
    ProtocolName.TIME_LIMIT: (Metric.COLD_TTFT_MS,),
}
