"""The closed lists of the bench: metrics, gates, reason codes and the three axes of a verdict."""

from enum import StrEnum


class Metric(StrEnum):
    """Every metric that a criteria file may name; docs/measuring.md defines each."""

    USER_TOK_S = "user_tok_s"
    TOTAL_TOK_S = "total_tok_s"
    STREAMING_TOK_S = "streaming_tok_s"
    TTFT_MS = "ttft_ms"


LOWER_IS_BETTER = frozenset({Metric.TTFT_MS})


class GateName(StrEnum):
    """Every gate that a criteria file may name."""

    READY = "ready"
    ARMED = "armed"
    ISOLATED = "isolated"
    COHERENT = "coherent"
    IDENTICAL = "identical"
    QUALITY = "quality"
    CAPABILITY = "capability"


class Reason(StrEnum):
    """Why a launch, gate or trial carries no number, or a run no verdict. The list is closed."""

    START_REFUSED = "start_refused"  # the engine ended before it was ready, in its own words
    NOT_READY = "not_ready"  # no ready line in its own log within the time limit
    WRONG_PROCESS = "wrong_process"  # the process that answers is not the one that was started
    DIED = "died"  # the server ended while it was being used
    NOT_ARMED = "not_armed"  # markers or effective settings differ from what was asked
    NOT_ENGAGED = "not_engaged"  # the arm's witness was not seen
    NO_WITNESS = "no_witness"  # the arm names no witness of its effect
    SELF_ARMED = "self_armed"  # the baseline shows an arm's witness
    STRANGER = "stranger"  # the server counted requests that the harness did not send
    TOO_FEW_TOKENS = "too_few_tokens"  # fewer tokens than the probe asks for
    DEGENERATE = "degenerate"  # text repeats itself or says almost nothing
    COUNT_MISMATCH = "count_mismatch"  # tokens streamed and tokens the server counted differ
    REQUEST_FAILED = "request_failed"  # a request of the protocol did not end well
    TEXT_CHANGED = "text_changed"  # temperature-0 text differs from the baseline's
    QUALITY_BELOW = "quality_below"  # the quality gate named beforehand was not met
    CAPABILITY_MISSING = "capability_missing"  # the named check does not hold
    PLACEBO_DIFFERS = "placebo_differs"  # the interval of placebo against baseline excludes 0
    BASELINE_INVALID = "baseline_invalid"  # a control launch carries no number, so the block cannot be used
    MISSING_BLOCKS = "missing_blocks"  # the arm has no number in some block
    NO_PROOF = "no_proof"  # a gate that the criteria ask for, or a trial, left no record
    INTERRUPTED = "interrupted"  # a person stopped it
    HARNESS_LOST = "harness_lost"  # the harness died; the guardian restored production


class Role(StrEnum):
    """What a launch stands for inside its block."""

    BASELINE = "baseline"
    PLACEBO = "placebo"
    ARM = "arm"


class Validity(StrEnum):
    """Whether a number may exist."""

    VALID = "VALID"
    NOT_ARMED = "NOT_ARMED"
    NOT_SHOWN_ENGAGED = "NOT_SHOWN_ENGAGED"
    INPUT_WRONG = "INPUT_WRONG"
    CONTAMINATED = "CONTAMINATED"
    INVALID = "INVALID"


class Speed(StrEnum):
    """What the interval says; never forced."""

    FASTER = "FASTER"
    SLOWER = "SLOWER"
    SAME = "SAME"
    AMBIGUOUS = "AMBIGUOUS"


class Numerics(StrEnum):
    """Temperature-0 text against the baseline; unknown where baseline and placebo already differ."""

    IDENTICAL = "IDENTICAL"
    CHANGED = "CHANGED"
    UNKNOWN = "UNKNOWN"
