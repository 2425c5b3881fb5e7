"""How long production will be away, from figures known before the first launch. Estimates only; no clock is read."""

from dataclasses import dataclass

from harness.vocabulary.criteria import Criteria, Ladder
from harness.vocabulary.loads import (
    Burst,
    Coherence,
    Documents,
    Identity,
    Mixed,
    NestedPrefix,
    Priority,
    SharedDocument,
    Soak,
    TimeLimit,
    ToolCalls,
    Vision,
)

# Prompt tokens a second for each token a second of a single user. A 27B model on four V100s computed a cut prompt of
# 128K tokens at 262 tok/s and writes 68: the slow end, so that an estimate is rather too long than too short.
PREFILL_PER_RATE = 4
PICTURE_TOKENS = 4096  # of a large picture, more than common engines make of one
TOOL_PROMPT_TOKENS = 512  # a question with the descriptions of its tools
PROBE_PROMPT_TOKENS = 64


@dataclass(frozen=True)
class LaunchTime:
    """Seconds that one launch takes, by part."""

    start_s: float  # from start to the ready line, the target file's figure
    protocol_s: float  # the protocol under load
    gates_s: float = 0.0  # probes before the protocol
    stop_s: float = 0.0  # ending the process and waiting for its memory

    @property
    def total_s(self) -> float:
        """Seconds of one whole launch."""
        return self.start_s + self.gates_s + self.protocol_s + self.stop_s


def estimate(launches: int, launch: LaunchTime) -> float:
    """Expected seconds without production: every launch, and production's own start at the end.

    Raises ValueError for a negative count or time.
    """
    parts = (launch.start_s, launch.protocol_s, launch.gates_s, launch.stop_s)
    if launches < 0 or not all(0 <= part < float("inf") for part in parts):
        raise ValueError(f"downtime needs a count and times of 0 or more, not {launches} launches of {launch}")
    return launches * launch.total_s + launch.start_s


def ladder_s(ladder: Ladder, user_tok_s: float) -> float:
    """Longest expected time of one ladder, seconds: as if the server answered its users one after the other.

    `user_tok_s` is the rate of a single user; a server that batches is faster than this.
    """
    return sum(ladder.steps) * ladder.tokens / _rate(user_tok_s)


def _rate(user_tok_s: float) -> float:
    if not 0 < user_tok_s < float("inf"):
        raise ValueError(f"the rate of a single user must be above 0, not {user_tok_s} tok/s")
    return user_tok_s


def protocol_s(criteria: Criteria, user_tok_s: float) -> float:
    """Longest expected time of one run of the named protocol, seconds; `user_tok_s` is the rate of a single user.

    As if the server answered its users one after the other. Raises ValueError for a rate of 0 or less.
    """
    settings, rate = criteria.settings, _rate(user_tok_s)
    if isinstance(settings, Ladder):
        return ladder_s(settings, rate)
    waits_s = _waits_s(settings)
    if isinstance(settings, Soak):
        return waits_s
    prompt, generated = _tokens(settings)
    return waits_s + prompt / (PREFILL_PER_RATE * rate) + generated / rate


def _waits_s(settings: object) -> float:
    """Seconds that pass whatever the server does."""
    match settings:
        case Soak():
            return settings.seconds
        case Priority():
            return settings.delay_s
        case Burst():
            return settings.pause_s * len(settings.at_once)
        case Mixed():
            return settings.stagger_s * (settings.users - 1)
        case _:
            return 0.0


def _tokens(settings: object) -> tuple[float, float]:
    """Prompt tokens and generated tokens of one run."""
    match settings:
        case Mixed():
            asked = settings.users * settings.rounds
            mean = sum(settings.prompt_tokens) / len(settings.prompt_tokens)
            return asked * mean, asked * sum(settings.tokens) / len(settings.tokens)
        case Documents():
            passes = 2 if settings.warm else 1
            asked = len(settings.lengths) * sum(settings.users)
            return passes * sum(settings.lengths) * sum(settings.users), passes * asked * settings.tokens
        case SharedDocument():
            return sum(settings.users) * settings.length, sum(settings.users) * settings.tokens
        case NestedPrefix():
            return 5 * settings.length, 3 * settings.tokens
        case Priority():
            probes = 2 * settings.tokens
            return settings.documents * settings.length, settings.documents * settings.document_tokens + probes
        case Burst():
            return sum(settings.at_once) * PROBE_PROMPT_TOKENS, sum(settings.at_once) * settings.tokens
        case ToolCalls():
            return 16 * TOOL_PROMPT_TOKENS, 16 * settings.tokens
        case Vision():
            return len(settings.sides) * PICTURE_TOKENS, (len(settings.sides) + 1) * settings.tokens
        case Identity():
            asked = settings.prompts * settings.repeats + max(settings.prompts, settings.users)
            return asked * PROBE_PROMPT_TOKENS, asked * settings.tokens
        case Coherence():
            asked = settings.prompts * (2 if settings.free else 1)
            return asked * PROBE_PROMPT_TOKENS, asked * settings.tokens
        case TimeLimit():
            return settings.length, settings.tokens
        case _:
            raise ValueError(f"no estimate is known for {type(settings).__name__}; add it here")
