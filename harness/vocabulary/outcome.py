"""The closed lists of the bench: metrics, gates, reason codes and the three axes of a verdict."""

from enum import StrEnum


class Metric(StrEnum):
    """Every metric that a criteria file may name; docs/measuring.md defines each."""

    USER_TOK_S = "user_tok_s"
    TOTAL_TOK_S = "total_tok_s"
    STREAMING_TOK_S = "streaming_tok_s"
    TTFT_MS = "ttft_ms"
    TTFT_P95_MS = "ttft_p95_ms"
    COLD_TTFT_MS = "cold_ttft_ms"
    WARM_TTFT_MS = "warm_ttft_ms"
    NESTED_TTFT_MS = "nested_ttft_ms"
    NESTED_WARMTH = "nested_warmth"
    PREFILL_TOK_S = "prefill_tok_s"
    GROWTH_EXPONENT = "growth_exponent"
    CACHED_TOKENS = "cached_tokens"
    COST_RATIO = "cost_ratio"
    PROBE_TTFT_MS = "probe_ttft_ms"
    PROBE_ALONE_TTFT_MS = "probe_alone_ttft_ms"
    PROBE_DONE_SHARE = "probe_done_share"
    DOCUMENTS_DONE_S = "documents_done_s"
    LONGEST_GAP_MS = "longest_gap_ms"
    FAILURES = "failures"
    GROWTH_MIB_H = "growth_mib_h"
    GROWTH_LOW_MIB_H = "growth_low_mib_h"
    GROWTH_HIGH_MIB_H = "growth_high_mib_h"
    DESCRIPTORS_H = "descriptors_h"
    TOOL_AUTO_OK = "tool_auto_ok"
    TOOL_REQUIRED_OK = "tool_required_ok"
    TOOL_CALL_MS = "tool_call_ms"
    VISION_TOKENS = "vision_tokens"
    IDENTICAL_ALONE_SHARE = "identical_alone_share"
    IDENTICAL_LOADED_SHARE = "identical_loaded_share"
    INCOHERENT = "incoherent"


LOWER_IS_BETTER = frozenset(
    {
        Metric.TTFT_MS,
        Metric.TTFT_P95_MS,
        Metric.COLD_TTFT_MS,
        Metric.WARM_TTFT_MS,
        Metric.NESTED_TTFT_MS,
        Metric.COST_RATIO,
        Metric.PROBE_TTFT_MS,
        Metric.PROBE_ALONE_TTFT_MS,
        Metric.PROBE_DONE_SHARE,
        Metric.DOCUMENTS_DONE_S,
        Metric.LONGEST_GAP_MS,
        Metric.TOOL_CALL_MS,
        Metric.VISION_TOKENS,
    }
)


class GateName(StrEnum):
    """Every gate that a criteria file may name."""

    READY = "ready"
    ARMED = "armed"
    ISOLATED = "isolated"
    COHERENT = "coherent"
    IDENTICAL = "identical"
    QUALITY = "quality"
    CAPABILITY = "capability"
    QUIET = "quiet"


class Reason(StrEnum):
    """Why a launch, gate or trial carries no number, or a run no verdict. The list is closed."""

    START_REFUSED = "start_refused"  # the engine ended before it was ready, in its own words
    NOT_READY = "not_ready"  # no ready line in its own log within the time limit
    WRONG_PROCESS = "wrong_process"  # the process that answers is not the one that was started
    STALE_SERVER = "stale_server"  # the port is held by another process: a server left over, or somebody else's
    READY_ELSEWHERE = "ready_elsewhere"  # its ready line names a port that it was not given, and that others hold
    ON_USERS_PORT = "on_users_port"  # it listens on production's own port, where users would get its answers
    UNSUPPORTED_PARTITION = "unsupported_partition"  # start-up: the binary has no such partition size
    NO_CACHE_BLOCKS = "no_cache_blocks"  # start-up: no memory left for the cache that the context asks for
    MEMORY_NOT_FREE = "memory_not_free"  # start-up: less memory is free than is asked for; something still holds it
    ENGINE_TIMED_OUT = "engine_timed_out"  # the engine gave itself up after a time limit of its own
    DRIVER_MISMATCH = "driver_mismatch"  # start-up: driver, CUDA and NCCL do not fit together
    PORT_IN_USE = "port_in_use"  # start-up: the address is taken
    OUT_OF_MEMORY = "out_of_memory"  # memory of host or card ran out
    UNKNOWN_FLAG = "unknown_flag"  # start-up: the engine does not know a flag
    BAD_VALUE = "bad_value"  # start-up: the engine refuses a flag's value or a combination
    MODEL_MISSING = "model_missing"  # start-up: the model's file or folder is not there
    MODEL_UNREADABLE = "model_unreadable"  # start-up: the model's file is cut, damaged or of an unknown kind
    OBJECT_MISSING = "object_missing"  # start-up: a shared object, a symbol or a module cannot be loaded
    MODEL_TOO_NEW = "model_too_new"  # start-up: the binary is older than the model's architecture
    INSTRUMENTED_GRAPH = "instrumented_graph"  # start-up: an instrument inside a captured graph
    UNSUPPORTED_HERE = "unsupported_here"  # start-up: this card or processor cannot do it
    WORKER_FAILED = "worker_failed"  # a worker ended, without a cause of its own in the log
    DIED = "died"  # the server ended while it was being used
    NOT_ARMED = "not_armed"  # markers or effective settings differ from what was asked
    PARTLY_ARMED = "partly_armed"  # a marker stands for some of the k workers and not for all
    MARKED_TWICE = "marked_twice"  # as many lines as workers, and not of as many workers: one said it twice
    MARKER_ELSEWHERE = "marker_elsewhere"  # the marker stands in another log, or another process wrote it
    BASELINE_UNARMED = "baseline_unarmed"  # the baseline lacks a marker, a witness or a setting of its own
    NOT_PASSED = "not_passed"  # what was asked for did not reach the command line or environment of a process
    REQUEST_IGNORED = "request_ignored"  # it reached the process, and the engine shows no effect of it
    VARIABLE_IGNORED = "variable_ignored"  # the same of an environment variable alone: the engine derives its own
    CLAMPED = "clamped"  # the engine put another value in force than the one asked for
    OBJECT_NOT_LOADED = "object_not_loaded"  # a process of the server has not mapped the object that was asked for
    CARD_UNUSED = "card_unused"  # a card that should hold a share of the model holds nothing of it
    BUILD_FAILED = "build_failed"  # what an arm needs could not be built; production was not touched
    NOT_APPLIED = "not_applied"  # a file that the arm changes could not be put in place; nothing was started
    NOT_ENGAGED = "not_engaged"  # the arm's witness was not seen
    NO_WITNESS = "no_witness"  # the arm names no witness of its effect
    SELF_ARMED = "self_armed"  # the baseline shows an arm's witness
    STRANGER = "stranger"  # the server counted requests that the harness did not send
    NOT_QUIET = "not_quiet"  # others used more of the cores than the target's file allows
    TOO_HOT = "too_hot"  # a card was hotter than the target's file allows
    THROTTLED = "throttled"  # cores or cards were slowed down, and the target's file does not allow it
    CARD_STRANGER = "card_stranger"  # somebody else's process was on a card, and the target's file does not allow it
    QUIET_UNREAD = "quiet_unread"  # what the target's file limits could not be read, so that nothing is shown
    TOO_FEW_TOKENS = "too_few_tokens"  # fewer tokens than the probe asks for
    COLLAPSED = "collapsed"  # the text ended by itself after a byte or two (M6)
    EMPTY_TEXT = "empty_text"  # events came, and the text in every one of them is empty (M3)
    NO_TEXT = "no_text"  # no event with text or a tool call came at all
    DEGENERATE = "degenerate"  # text repeats itself or says almost nothing
    ONE_WORD = "one_word"  # the same word for ever
    UNREADABLE_TEXT = "unreadable_text"  # broken symbols instead of text
    COUNT_MISMATCH = "count_mismatch"  # tokens streamed and tokens the server counted differ
    NO_USAGE = "no_usage"  # the server sent no count of tokens
    UNDERCOUNTED = "undercounted"  # the server counted fewer tokens than events with text came
    OVERCOUNTED = "overcounted"  # the server counted more tokens than were asked for
    ALL_AT_ONCE = "all_at_once"  # more tokens in one event than an engine makes in a step: nothing was timed (M5)
    PROMPT_COUNT = "prompt_count"  # the prompts' tokens by usage are not the engine's counters' or the tokenizer's
    REQUEST_FAILED = "request_failed"  # an answer that cannot be read at all: no HTTP, compressed, endless
    NOT_CONNECTED = "not_connected"  # no connection to the server, or none whose certificate is trusted
    BAD_STATUS = "bad_status"  # the server answered with another status than 200
    CONNECTION_LOST = "connection_lost"  # the connection ended before the answer was whole
    NO_END = "no_end"  # the answer was not whole within its time limit
    STREAM_ERROR = "stream_error"  # the server reported an error inside a stream
    STREAM_CUT = "stream_cut"  # a stream ended without saying why
    NO_FINISH_REASON = "no_finish_reason"  # a stream came to its end, usage included, and did not say why it ended
    STREAM_GARBLED = "stream_garbled"  # a stream held what cannot be read
    NO_STREAM = "no_stream"  # the answer is no stream of events at all
    TEXT_CHANGED = "text_changed"  # temperature-0 text differs from the baseline's
    QUALITY_BELOW = "quality_below"  # the quality gate named beforehand was not met
    CAPABILITY_MISSING = "capability_missing"  # the named check does not hold
    PLACEBO_DIFFERS = "placebo_differs"  # the interval of placebo against baseline excludes 0
    BASELINE_INVALID = "baseline_invalid"  # a control launch carries no number, so the block cannot be used
    MISSING_BLOCKS = "missing_blocks"  # the arm has no number in some block
    NO_PROOF = "no_proof"  # a gate that the criteria ask for, or a trial, left no record
    COUNTERS_UNREADABLE = "counters_unreadable"  # the engine's counters are there, and are no numbers (M4)
    COUNTERS_RESET = "counters_reset"  # the engine's counters went back during a load
    INTERRUPTED = "interrupted"  # a person stopped it
    WINDOW_TOO_SHORT = "window_too_short"  # no window has room for one block of this run and production's return
    THREE_ALIKE = "three_alike"  # three launches ended in one reason code: the assumption is wrong (M16)
    STRICTER = "stricter"  # a gate asks for what the accepted baseline has not passed: a person's decision (R3c)
    WARM = "warm"  # a prompt that was to be cold was taken from a cache
    COLD_UNPROVEN = "cold_unproven"  # neither usage nor counters say whether a prompt was cold
    WRONG_LENGTH = "wrong_length"  # a prompt is not as long as its label, by the server's own count
    NOT_REACHED = "not_reached"  # the load never came to what it was to probe
    TIME_LIMIT = "time_limit"  # the engine gave up on a prompt that takes longer than its limit
    STALLED = "stalled"  # no token of any user for longer than allowed
    MEMORY_GROWS = "memory_grows"  # a process gains memory after its plateau
    DESCRIPTORS_GROW = "descriptors_grow"  # a process gains descriptors after its plateau
    NO_TOOL_CALL = "no_tool_call"  # too few cases end in the right tool call, in either mode
    IMAGE_IGNORED = "image_ignored"  # a picture adds no tokens to the prompt
    TEXT_VARIES = "text_varies"  # one prompt at temperature 0 has several answers in one launch
    CONTROL_WRONG = "control_wrong"  # a planted control came to the wrong verdict, so no other one is believed
    HARNESS_LOST = "harness_lost"  # the harness died; the guardian restored production


# The machine's doing, not the arm's: the block is measured again.
DISTURBED = frozenset({Reason.NOT_QUIET, Reason.TOO_HOT, Reason.THROTTLED, Reason.CARD_STRANGER, Reason.QUIET_UNREAD})

# A start that failed so fails the same way until a person changes its files, its flags or the machine.
LASTING = frozenset(
    {
        Reason.ON_USERS_PORT,
        Reason.UNSUPPORTED_PARTITION,
        Reason.DRIVER_MISMATCH,
        Reason.UNKNOWN_FLAG,
        Reason.BAD_VALUE,
        Reason.MODEL_MISSING,
        Reason.MODEL_UNREADABLE,
        Reason.MODEL_TOO_NEW,
        Reason.OBJECT_MISSING,
        Reason.INSTRUMENTED_GRAPH,
        Reason.UNSUPPORTED_HERE,
        Reason.NOT_APPLIED,
    }
)


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
