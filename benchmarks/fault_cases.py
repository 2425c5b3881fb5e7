"""What the bench has to say about each fault of the simulator: one launch a case, with the verdict that is right.

Pure data and the target, arm and criteria made from it; `benchmarks.faults` runs them.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.simulator.faults import Fault
from harness.vocabulary.arm import Arm
from harness.vocabulary.criteria import Criteria
from harness.vocabulary.outcome import Reason
from harness.vocabulary.target import Target

MEASURED = "measured"  # the launch carries numbers: the fault is a habit that must not matter
RETURNED = "measured, but the memory did not come back"
TEXT_CHANGED = "measured, numerics CHANGED"
NUMERICS_UNKNOWN = "measured, numerics UNKNOWN"
SCALE = "0.02"
LONG = ("--time-scale", "0.001")  # for long prompts: 120K in a tenth of a second
IMPATIENT = {"VLLM_EXECUTE_MODEL_TIMEOUT_SECONDS": "50"}
PATIENT = {"VLLM_EXECUTE_MODEL_TIMEOUT_SECONDS": "2400"}
TILE = {"env": {"V100_TILE": "128"}, "witness": [{"source": "log", "pattern": "TILE128_READY rank=3"}]}
BUDGET = {"flags": {"max-num-batched-tokens": 65536}, "witness": [{"source": "log", "pattern": "startup complete"}]}
SHORTER = {"flags": {"max-model-len": 65536}, "witness": [{"source": "log", "pattern": "startup complete"}]}
FLAGS = {"max-model-len": 131072, "tensor-parallel-size": 4}
URL_READY = r"Starting vLLM API server 0 on (?P<url>\S+)"
CARDS = "cards.json"
QUIET = {"max_card_temperature_c": 85, "no_throttling": True, "no_strangers_on_cards": True}
SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "ladder": {"steps": [1, 2], "tokens": 32, "request_timeout_s": 8},
    "documents": {"lengths": [1000, 2000], "users": [1], "tokens": 4, "request_timeout_s": 20},
    "tool_calls": {"request_timeout_s": 20},
    "vision": {"request_timeout_s": 20},
    "identity": {"prompts": 1, "users": 2, "tokens": 32, "must": "alone", "request_timeout_s": 20},
    "time_limit": {"length": 120000, "limit_s": 0.05, "tokens": 2, "request_timeout_s": 20},
    "soak": {"seconds": 6, "users": 2, "prompt_tokens": 64, "tokens": 32, "sample_s": 0.2, "stall_s": 4},
}
PRIMARY = {
    "ladder": ("user_tok_s", 1, None),
    "documents": ("cold_ttft_ms", 1, 1000),
    "tool_calls": ("tool_call_ms", 1, None),
    "vision": ("vision_tokens", 1, 224),
    "identity": ("user_tok_s", 1, None),
    "time_limit": ("cold_ttft_ms", 1, None),
    "soak": ("total_tok_s", 2, None),
}


@dataclass(frozen=True)
class Case:
    """One launch with something wrong, and what is right to say about it."""

    name: str
    wanted: str  # a reason code, or one of the words above
    words: tuple[str, ...] = ()  # more words of the simulator's command line
    arm: Mapping[str, Any] | None = None  # none: a baseline is launched
    planned: Mapping[str, Any] | None = None  # an arm of the plan that is not launched here
    protocol: str = "ladder"
    ready: str = "Application startup complete"
    ready_s: float = 30.0
    env: Mapping[str, str] = field(default_factory=dict)
    note: bool = False  # the reason is a note on a gate that held
    overlay: bool = False  # the arm puts a shared object in place
    cards: bool = False  # a card for each worker is simulated, and the target limits what they may do
    limits: Mapping[str, Any] = field(default_factory=dict)  # of `[quiet]`, where no card is simulated
    slack_mib: int = 1 << 16  # of memory that may be missing afterwards; the machine is not ours alone


def of(fault: Fault, wanted: Reason | str, **more: Any) -> Case:
    """The case of one fault."""
    value = more.pop("value", "")
    words = ("--fault", fault.value + (f"={value}" if value else ""), *more.pop("words", ()))
    said = wanted.value if isinstance(wanted, Reason) else wanted
    return Case(fault.value, said, words, **more)


R, F = Reason, Fault
CASES: tuple[Case, ...] = (
    Case("no fault", MEASURED),
    Case("no fault, an arm that helps", MEASURED, arm=TILE),
    of(F.STALE_SERVER_ON_PORT, R.STALE_SERVER),
    of(F.FOREIGN_READY_LINE, R.READY_ELSEWHERE, ready=URL_READY),
    of(F.NEVER_READY, R.NOT_READY, ready_s=3.0),
    of(F.HEALTH_BEFORE_READY, MEASURED),
    of(F.EARLY_READY_LINE, MEASURED),
    of(F.WRONG_MODEL_NAME, R.WRONG_PROCESS),
    of(F.MARKER_MISSING_ON_ONE, R.PARTLY_ARMED),
    of(F.MARKER_TWICE, R.MARKED_TWICE),
    of(F.UNARMED, R.BASELINE_UNARMED),
    Case("unarmed, in an arm", R.NOT_ARMED.value, ("--fault", "unarmed"), arm=TILE),
    of(F.MARKER_IN_WRONG_LOG, R.MARKER_ELSEWHERE, words=("--wrong-log", "other.log")),
    of(F.SELF_ARMED, R.SELF_ARMED, planned=TILE, note=True),
    of(F.FLAG_IGNORED, R.REQUEST_IGNORED, value="max-model-len", arm=SHORTER),
    of(F.ENV_IGNORED, R.VARIABLE_IGNORED, arm=TILE),
    of(F.CLAMPED_VALUE, R.CLAMPED, value="max-model-len", arm=SHORTER),
    of(F.OLD_OBJECT_ON_ONE, R.OBJECT_NOT_LOADED, words=("--object", "kernel.so"), arm=TILE, overlay=True),
    Case("no fault, an object on every worker", MEASURED, ("--object", "kernel.so"), arm=TILE, overlay=True),
    of(F.ERASED_ENVIRONMENT, MEASURED, arm=TILE),
    Case("an arm without a witness", R.NO_WITNESS.value, arm={"env": TILE["env"]}, note=True),
    Case("a flag that the engine does not know", R.UNKNOWN_FLAG.value, ("--no-such-flag", "1")),
    of(F.UNSUPPORTED_PARTITION, R.UNSUPPORTED_PARTITION),
    of(F.NO_CACHE_BLOCKS, R.NO_CACHE_BLOCKS),
    of(F.LOW_FREE_MEMORY, R.MEMORY_NOT_FREE),
    of(F.STUB_LIBRARY, R.DRIVER_MISMATCH),
    of(F.ENGINE_TIMEOUT_AT_START, R.ENGINE_TIMED_OUT),
    of(F.INSTRUMENTED_GRAPH, R.INSTRUMENTED_GRAPH),
    of(F.OUT_OF_MEMORY, R.OUT_OF_MEMORY),
    of(F.PORT_IN_USE, R.PORT_IN_USE),
    of(F.TRUNCATED_MODEL, R.MODEL_UNREADABLE),
    of(F.UNKNOWN_ARCHITECTURE, R.MODEL_TOO_NEW),
    of(F.DIES_UNDER_LOAD, R.DIED),
    of(F.WORKER_DIES_UNDER_LOAD, R.WORKER_FAILED),
    of(F.HANG_IN_LOAD, R.NO_END),
    of(F.PAUSE_IN_LOAD, R.STALLED, value="7", protocol="soak"),  # a busy machine pauses for seconds too
    of(F.BUSY_503, R.BAD_STATUS),
    of(F.HTML_200, R.NO_STREAM),
    of(F.TWO_TOKENS, R.TOO_FEW_TOKENS),
    of(F.TWO_TOKENS_COUNTED_FULL, R.COUNT_MISMATCH),
    of(F.COLLAPSED_TEXT, R.COLLAPSED),
    of(F.EMPTY_CONTENT, R.EMPTY_TEXT),
    of(F.USAGE_ONLY, R.NO_TEXT),
    of(F.REPEATED_OUTPUT, R.DEGENERATE),
    of(F.ONE_WORD, R.ONE_WORD),
    of(F.MOJIBAKE, R.UNREADABLE_TEXT),
    of(F.NONDETERMINISTIC, NUMERICS_UNKNOWN),
    of(F.CHANGED_NUMERICS, TEXT_CHANGED, arm=TILE),
    of(F.TEXT_VARIES, R.TEXT_VARIES, protocol="identity"),
    of(F.IMAGE_IGNORED, R.IMAGE_IGNORED, protocol="vision"),
    of(F.ERROR_AFTER_TOKENS, R.STREAM_ERROR),
    of(F.EARLY_END, R.STREAM_CUT),
    of(F.CONNECTION_RESET, R.CONNECTION_LOST),
    of(F.NOT_JSON, R.STREAM_GARBLED),
    of(F.NO_FINISH_REASON, R.NO_FINISH_REASON),
    of(F.ROLE_ONLY_FIRST, MEASURED),
    of(F.SEVERAL_PER_EVENT, MEASURED),
    of(F.KEEPALIVE_COMMENTS, MEASURED),
    of(F.SPLIT_EVENTS, MEASURED),
    of(F.USAGE_TOO_HIGH, R.OVERCOUNTED),
    of(F.USAGE_TOO_LOW, R.UNDERCOUNTED),
    of(F.NO_USAGE, R.NO_USAGE),
    of(F.PROMPT_COUNT_WRONG, R.PROMPT_COUNT),
    of(F.PROMPT_CUT, R.PROMPT_COUNT),  # its own counts agree: only the model's tokenizer tells
    of(F.CHEAT_EARLY, R.ALL_AT_ONCE),
    of(F.CHEAT_STREAMED, MEASURED),  # nothing in one launch tells it: a planted control voids the run
    of(F.STRANGER, R.STRANGER),
    of(F.STRANGER_BEFORE, R.STRANGER),
    of(F.WARM_CACHE, R.WARM, protocol="documents"),
    of(F.NO_METRICS, R.NO_PROOF),
    of(F.NAN_METRICS, R.COUNTERS_UNREADABLE),
    of(F.COUNTERS_RESET, R.COUNTERS_RESET),
    Case("no fault, four cards", MEASURED, cards=True),
    of(F.CARD_HOT, R.TOO_HOT, cards=True),
    of(F.CARD_THROTTLED, R.THROTTLED, cards=True),
    of(F.CARD_SLOW, MEASURED, cards=True),
    of(F.CARD_STRANGER, R.CARD_STRANGER, cards=True),
    of(F.CARD_SILENT, R.QUIET_UNREAD, cards=True),
    Case("card-silent=throttling", R.QUIET_UNREAD.value, ("--fault", "card-silent=throttling"), cards=True),
    Case("card-silent=processes", R.QUIET_UNREAD.value, ("--fault", "card-silent=processes"), cards=True),
    Case("no card, and a limit on its heat", R.QUIET_UNREAD.value, limits={"max_card_temperature_c": 85}),
    of(F.CARD_UNUSED, R.CARD_UNUSED, cards=True),
    of(F.CARD_MEMORY_KEPT, RETURNED, cards=True, slack_mib=8192),
    of(F.ORPHAN_WORKERS, MEASURED),
    of(F.IGNORES_TERM, MEASURED),
    of(F.MEMORY_NOT_RETURNED, RETURNED, slack_mib=128, value="768"),  # others may free memory meanwhile
    Case("a prefill over the time limit", R.ENGINE_TIMED_OUT.value, LONG, protocol="time_limit", env=IMPATIENT),
    Case("a prefill within a longer limit", MEASURED, LONG, protocol="time_limit", env=PATIENT),
    Case("tool calls in neither mode", R.NO_TOOL_CALL.value, ("--tool-calls", "none"), protocol="tool_calls"),
    Case("memory that grows", R.MEMORY_GROWS.value, ("--leak-kib", "64"), protocol="soak"),
    Case("descriptors that grow", R.DESCRIPTORS_GROW.value, ("--leak-descriptors", "1"), protocol="soak"),
    Case("nested prompts in a prefix cache", MEASURED, ("--prefix-cache",), protocol="documents"),
)


def target_of(case: Case, folder: Path) -> Target:
    """The simulator of this case as a target."""
    given = (*case.words, *(("--cards-file", CARDS) if case.cards else ()))
    words = [str(folder / word) if word in ("kernel.so", "other.log", CARDS) else word for word in given]
    scale = [] if "--time-scale" in words else ["--time-scale", SCALE]
    command = ["{python}", "-m", "harness.simulator", "--style", "v100-fork", "--lifetime-s", "120", *scale, *words]
    return Target.model_validate(
        {
            "schema": 1,
            "name": "simulated",
            "title": "SIMULATOR with a fault",
            "adapter": "vllm",
            "users": 8,
            "baseline": {"command": command, "flags": FLAGS, "env": case.env},
            "endpoint": {"port": 0, "api": "chat", "tokenizer": "/tokenize"},
            "ready": {"pattern": case.ready, "timeout_s": case.ready_s},
            "armed": [{"marker": r"Worker_TP(?P<worker>\d+) pid=(?P<pid>\d+).*IQ4XS_BMMVQ_READY", "count": 4}],
            "allowed_flags": {"max-model-len": {"type": "int", "min": 1024, "max": 131072}},
            "allowed_env": {"V100_TILE": {"type": "choice", "values": ["64", "128"]}},
            "recorded_env": ["V100_TILE"],
            "teardown": {"grace_s": 1, "memory_slack_mib": case.slack_mib, "memory_timeout_s": 2},
            "quiet": QUIET if case.cards else dict(case.limits),
            "planning": {"launch_sd_pct": 1, "start_s": 1},
        }
    )


def criteria_of(case: Case) -> Criteria:
    """Criteria that load the launch with the case's protocol and ask for every proof."""
    metric, load, size = PRIMARY[case.protocol]
    primary = {"metric": metric, "load": load, "smallest_effect_pct": 10} | ({"size": size} if size else {})
    return Criteria.model_validate(
        {
            "schema": 1,
            "protocol": case.protocol,
            case.protocol: dict(SETTINGS[case.protocol]),
            "blocks": 2,
            "level": 0.05,
            "primary": primary,
            "numerics": {"policy": "identical"},
            "gates": ["ready", "armed", "isolated", "coherent"],
        }
    )


def arm_of(case: Case, table: Mapping[str, Any] | None, folder: Path) -> Arm | None:
    """An arm of the case; with an overlay where it puts a shared object in place."""
    if table is None:
        return None
    more: dict[str, Any] = {}
    if case.overlay:
        built = folder / "kernel.so"
        sha256 = hashlib.sha256(built.read_bytes()).hexdigest()
        more["overlay"] = [{"path": str(built), "source": str(folder / "built.so"), "sha256": sha256}]
    return Arm.model_validate({"schema": 1, "name": "arm", **table, **more})
