"""Every way in which the simulator can behave as badly as real servers did. `--fault NAME` or `--fault NAME=VALUE`.

Only names and what they do; each is acted out in the file that owns the thing it breaks.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum


class Fault(StrEnum):
    """One fault; `said` is what it does, in one line."""

    said: str

    def __new__(cls, value: str, said: str) -> "Fault":
        member = str.__new__(cls, value)
        member._value_ = value
        member.said = said
        return member

    # Who answers, and when it says ready: lessons S2 and A4.
    STALE_SERVER_ON_PORT = "stale-server-on-port", "an older server, outside the tree, listens on the same port (S2)"
    FOREIGN_READY_LINE = "foreign-ready-line", "its log carries the ready line of another process, with that one's port"
    NEVER_READY = "never-ready", "starts, then never says so"
    HEALTH_BEFORE_READY = "health-before-ready", "answers /health at once, long before its log says ready"
    WRONG_MODEL_NAME = "wrong-model-name", "serves the model under another name than it was told"
    EARLY_READY_LINE = "early-ready-line", "says ready before its workers have loaded, answers 503 until they have"
    # Armed and engaged: lessons A4, A5 and A8.
    MARKER_MISSING_ON_ONE = "marker-missing-on-one", "the kernel's marker on k-1 of k workers"
    UNARMED = "unarmed", "no worker prints the kernel's marker; the server answers all the same"
    MARKER_IN_WRONG_LOG = "marker-in-wrong-log", "the markers go to another file than its own log"
    MARKER_TWICE = "marker-twice", "one worker prints the marker twice, one never: the count is right, the workers not"
    FLAG_IGNORED = "flag-ignored", "a flag (VALUE, default max-num-batched-tokens) is taken and has no effect"
    ENV_IGNORED = "env-ignored", "a variable is in the environment and the engine derives its own value (A5)"
    CLAMPED_VALUE = "clamped-value", "a flag (VALUE, default max-model-len) is silently clamped to half"
    SELF_ARMED = "self-armed", "prints an arm's marker without the arm: a guard on auto (A4)"
    OLD_OBJECT_ON_ONE = "old-object-on-one", "one worker does not load the object named by --object"
    # Starting, lessons S3, S6 and S7: the engine's own words, then the end.
    UNSUPPORTED_PARTITION = "unsupported-partition", "start fails: Unsupported decode partition_size"
    NO_CACHE_BLOCKS = "no-cache-blocks", "start fails: no available memory for the cache blocks"
    LOW_FREE_MEMORY = "low-free-memory", "start fails: free memory on a card is less than desired"
    STUB_LIBRARY = "stub-library", "start fails: driver and NCCL do not match, CUDA driver is a stub library"
    ENGINE_TIMEOUT_AT_START = "engine-timeout-at-start", "start fails: a worker times out, engine core is dead"
    INSTRUMENTED_GRAPH = "instrumented-graph", "start fails: a timer inside a captured graph (S6b)"
    OUT_OF_MEMORY = "out-of-memory", "start fails: CUDA out of memory while the weights load"
    PORT_IN_USE = "port-in-use", "start fails: the address is already in use"
    TRUNCATED_MODEL = "truncated-model", "start fails: the model file ends before its last tensor (S8)"
    UNKNOWN_ARCHITECTURE = "unknown-architecture", "start fails: the binary is older than the model's architecture"
    # Under load.
    DIES_UNDER_LOAD = "dies-under-load", "the whole server ends after VALUE requests (default 5)"
    WORKER_DIES_UNDER_LOAD = "worker-dies-under-load", "one worker is killed after VALUE requests (default 5)"
    HANG_IN_LOAD = "hang-in-load", "no more tokens after VALUE requests (default 5); the process lives on"
    PAUSE_IN_LOAD = "pause-in-load", "no more tokens for VALUE real seconds (default 3) after 40 requests, then on"
    BUSY_503 = "busy-503", "status 503 after VALUE requests (default 5)"
    HTML_200 = "html-200", "status 200 with an HTML page instead of an answer"
    # The answer: lessons M2 and M3.
    TWO_TOKENS = "two-tokens", "every answer stops after two tokens (M2)"
    TWO_TOKENS_COUNTED_FULL = "two-tokens-counted-full", "two tokens come, usage claims all that were asked for"
    REPEATED_OUTPUT = "repeated-output", "one phrase for ever"
    ONE_WORD = "one-word", "the same word for ever"
    EMPTY_CONTENT = "empty-content", "every delta carries an empty string; usage counts tokens all the same (M3)"
    MOJIBAKE = "mojibake", "broken symbols instead of text"
    NONDETERMINISTIC = "nondeterministic", "temperature 0 gives another text in every launch"
    TEXT_VARIES = "text-varies", "temperature 0 gives another text in every request"
    CHANGED_NUMERICS = "changed-numerics", "temperature 0 gives another text than without this fault (M6)"
    IMAGE_IGNORED = "image-ignored", "a picture adds no tokens to the prompt, as a model without eyes does"
    COLLAPSED_TEXT = "collapsed-text", "the text ends after two bytes, then end-of-text; the speed is unchanged (M6)"
    # The stream.
    ERROR_AFTER_TOKENS = "error-after-tokens", "an error object inside the stream after ten tokens"
    EARLY_END = "early-end", "the stream ends after ten tokens, cleanly, without finish reason"
    CONNECTION_RESET = "connection-reset", "the connection breaks after ten tokens"
    USAGE_ONLY = "usage-only", "no text at all, one usage event that counts every token"
    ROLE_ONLY_FIRST = "role-only-first", "a role-only event at once, text when it is ready (harmless if read rightly)"
    SEVERAL_PER_EVENT = "several-per-event", "VALUE tokens an event (default 4; harmless if counted rightly)"
    KEEPALIVE_COMMENTS = "keepalive-comments", "comment lines between the events (harmless)"
    SPLIT_EVENTS = "split-events", "events cut in the middle of a character over two packets (harmless)"
    NOT_JSON = "not-json", "one event is not JSON"
    NO_FINISH_REASON = "no-finish-reason", "everything comes, but the finish reason stays null"
    # Counts.
    USAGE_TOO_HIGH = "usage-too-high", "usage counts 40 tokens more than came"
    USAGE_TOO_LOW = "usage-too-low", "usage counts half of the tokens that came"
    NO_USAGE = "no-usage", "no usage although it was asked for"
    PROMPT_COUNT_WRONG = "prompt-count-wrong", "usage counts half of the prompt's tokens"
    PROMPT_CUT = "prompt-cut", "keeps half of a prompt and counts that, in usage and counters alike (M7)"
    CHEAT_EARLY = "cheat-early", "answers everything at once without computing: a planted control's cheat (M5)"
    CHEAT_STREAMED = "cheat-streamed", "computes nothing and streams a token each real millisecond: a cheat unseen (M5)"
    # Isolation and caches: lesson M7.
    STRANGER = "stranger", "somebody else's requests run and are counted meanwhile"
    STRANGER_BEFORE = "stranger-before", "somebody else is being served from the start on"
    WARM_CACHE = "warm-cache", "prompts are found in a prefix cache, and the counters say so"
    NO_METRICS = "no-metrics", "/metrics is not there"
    NAN_METRICS = "nan-metrics", "/metrics says NaN (M4)"
    COUNTERS_RESET = "counters-reset", "counters start again from zero in the middle"
    # Cards, where they are simulated (`--cards-file`); the last one is spoilt.
    CARD_HOT = "card-hot", "the last card is at VALUE degrees (default 97)"
    CARD_THROTTLED = "card-throttled", "the last card is throttled; VALUE are NVML's bits (default 64: heat)"
    CARD_SLOW = "card-slow", "the last card's clock is VALUE MHz (default 300); nobody says why"
    CARD_STRANGER = "card-stranger", "a process of somebody else holds VALUE MiB (default 1024) on the last card"
    CARD_SILENT = "card-silent", "the last card does not tell VALUE: temperature (default), throttling or processes"
    CARD_UNUSED = "card-unused", "no worker holds anything on the last card (A8)"
    CARD_MEMORY_KEPT = (
        "card-memory-kept",
        "VALUE MiB of the last card (default 28000) are not given back at the end (S3)",
    )
    # Ending: lessons S1 and S3.
    ORPHAN_WORKERS = "orphan-workers", "workers in sessions of their own outlive the parent"
    IGNORES_TERM = "ignores-term", "SIGTERM is ignored, by the workers too"
    MEMORY_NOT_RETURNED = "memory-not-returned", "VALUE MiB (default 384) stay held by a process outside the tree"
    ERASED_ENVIRONMENT = "erased-environment", "workers write over the environment and command line the kernel shows"


@dataclass(frozen=True)
class Faults:
    """The faults of one start, each with its value if it was given one."""

    values: dict[Fault, str] = field(default_factory=dict)

    @classmethod
    def parse(cls, words: Sequence[str]) -> "Faults":
        """From `NAME` and `NAME=VALUE`. Raises ValueError with one sentence."""
        found: dict[Fault, str] = {}
        for word in words:
            name, _, value = word.partition("=")
            if name not in {fault.value for fault in Fault}:
                raise ValueError(f"{name!r} is no fault; `python -m harness.simulator --list-faults` names them all")
            found[next(fault for fault in Fault if fault.value == name)] = value
        return cls(found)

    def __contains__(self, fault: Fault) -> bool:
        return fault in self.values

    def any(self, *faults: Fault) -> bool:
        """Whether one of them is on."""
        return any(fault in self.values for fault in faults)

    def number(self, fault: Fault, default: int) -> int:
        """The fault's value as a whole number."""
        return int(self.values.get(fault) or default)

    def word(self, fault: Fault, default: str) -> str:
        """The fault's value as a word."""
        return self.values.get(fault) or default
