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
# A step of n users who are answered together takes n to this power times as long as one user alone. That bounds what
# an engine with captured graphs needed on four V100s: 68.15 tok/s alone, 32.5 for each of 8 (2.1 times as long),
# 8.17 for each of 24 (8.3) and 7.6 for each of 32 (9.0). Newer cards fall less: again rather too long than too short.
SHARING_POWER = 0.67
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


@dataclass(frozen=True)
class Answers:
    """Users who ask in the same moment, and the tokens that each of them is answered with."""

    users: int
    tokens: float


def estimate(launches: int, launch: LaunchTime) -> float:
    """Expected seconds without production: every launch, and production's own start at the end.

    Raises ValueError for a negative count or time.
    """
    parts = (launch.start_s, launch.protocol_s, launch.gates_s, launch.stop_s)
    if launches < 0 or not all(0 <= part < float("inf") for part in parts):
        raise ValueError(f"downtime needs a count and times of 0 or more, not {launches} launches of {launch}")
    return launches * launch.total_s + launch.start_s


def ladder_s(ladder: Ladder, user_tok_s: float, at_once: int = 1) -> float:
    """Longest expected time of one ladder, seconds. `user_tok_s` is the rate of a single user; see `together_s`."""
    return sum(together_s(Answers(users, ladder.tokens), user_tok_s, at_once) for users in ladder.steps)


def together_s(answers: Answers, user_tok_s: float, at_once: int) -> float:
    """Longest expected time until users who ask in one moment have their answers, seconds.

    So many as the server answers `at_once` share it (SHARING_POWER), in as many rounds as all of them need; with 1 they
    are answered one after the other. Raises ValueError for a rate of 0 or less, or nobody at once.
    """
    if not 0 < user_tok_s < float("inf"):
        raise ValueError(f"the rate of a single user must be above 0, not {user_tok_s} tok/s")
    if at_once < 1:
        raise ValueError(f"a server answers 1 user or more at once, not {at_once}")
    full, rest = divmod(answers.users, at_once)
    rounds = full * at_once**SHARING_POWER + rest**SHARING_POWER
    return float(rounds * answers.tokens / user_tok_s)


def protocol_s(criteria: Criteria, user_tok_s: float, at_once: int = 1) -> float:
    """Longest expected time of one run of the named protocol, seconds; `user_tok_s` is the rate of a single user.

    Prompts are computed one after the other, answers written as `together_s` says. Raises ValueError for a rate of 0 or
    less.
    """
    settings = criteria.settings
    if isinstance(settings, Ladder):
        return ladder_s(settings, user_tok_s, at_once)
    waits_s, none = _waits_s(settings), together_s(Answers(0, 0), user_tok_s, at_once)
    if isinstance(settings, Soak):
        return waits_s + none
    prompt, answers = _tokens(settings)
    return (
        waits_s
        + prompt / (PREFILL_PER_RATE * user_tok_s)
        + sum(together_s(each, user_tok_s, at_once) for each in answers)
    )


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


def _tokens(settings: object) -> tuple[float, tuple[Answers, ...]]:
    """Prompt tokens and the answers of one run."""
    match settings:
        case Mixed():
            mean = sum(settings.prompt_tokens) / len(settings.prompt_tokens)
            each = settings.rounds * sum(settings.tokens) / len(settings.tokens)
            return settings.users * settings.rounds * mean, (Answers(settings.users, each),)
        case Documents():
            passes = 2 if settings.warm else 1
            rounds = passes * len(settings.lengths)
            asked = tuple(Answers(users, rounds * settings.tokens) for users in settings.users)
            return passes * sum(settings.lengths) * sum(settings.users), asked
        case SharedDocument():
            return sum(settings.users) * settings.length, _each(settings.users, settings.tokens)
        case NestedPrefix():
            return 5 * settings.length, (Answers(1, 3 * settings.tokens),)
        case Priority():
            beside = Answers(settings.documents, settings.document_tokens)
            return settings.documents * settings.length, (beside, Answers(1, 2 * settings.tokens))
        case Burst():
            return sum(settings.at_once) * PROBE_PROMPT_TOKENS, _each(settings.at_once, settings.tokens)
        case ToolCalls():
            return 16 * TOOL_PROMPT_TOKENS, (Answers(1, 16 * settings.tokens),)
        case Vision():
            return len(settings.sides) * PICTURE_TOKENS, (Answers(1, (len(settings.sides) + 1) * settings.tokens),)
        case Identity():
            alone, turns = settings.prompts * settings.repeats, -(-settings.prompts // settings.users)
            loaded = Answers(settings.users, turns * settings.tokens)
            asked_prompts = alone + turns * settings.users
            return asked_prompts * PROBE_PROMPT_TOKENS, (Answers(1, alone * settings.tokens), loaded)
        case Coherence():
            count = settings.prompts * (2 if settings.free else 1)
            return count * PROBE_PROMPT_TOKENS, (Answers(1, count * settings.tokens),)
        case TimeLimit():
            return settings.length, (Answers(1, settings.tokens),)
        case _:
            raise ValueError(f"no estimate is known for {type(settings).__name__}; add it here")


def _each(users: tuple[int, ...], tokens: int) -> tuple[Answers, ...]:
    """Every number of users in turn."""
    return tuple(Answers(count, tokens) for count in users)
