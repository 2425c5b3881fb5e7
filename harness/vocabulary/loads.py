"""How a launch is loaded: one table of settings a protocol, with its limits and defaults.

Each table says which loads (users at once) and sizes it measures; docs/measuring.md says what each protocol does.
"""

from typing import Annotated, Literal, Protocol, Self

from pydantic import Field, model_validator

from harness.vocabulary.base import Value

Users = Annotated[int, Field(ge=1, le=1024)]
Length = Annotated[int, Field(ge=16, le=1_048_576)]  # prompt tokens
MIN_LOOKS = 20  # of a soak after its plateau: two for each of the ten windows over which growth is averaged
MAX_SIDE = 4096  # pixels; a larger picture is scaled down by every engine, so it would measure nothing new


class Settings(Protocol):
    """What every table answers about itself."""

    @property
    def request_timeout_s(self) -> float:
        """Wall-clock limit of one request, seconds."""

    @property
    def loads(self) -> tuple[int, ...]:
        """Every number of users at once for which there is a metric."""

    @property
    def sizes(self) -> tuple[int, ...]:
        """Sizes that stand in the names of metrics, `name@size`; empty where there is only one."""


class Ladder(Value):
    """The ladder protocol: steps of simultaneous users, up and down again, without cooling (lesson M1)."""

    steps: tuple[Users, ...] = Field(
        default=(1, 2, 4, 8, 8, 4, 2, 1), min_length=1, max_length=64, description="users at each step"
    )
    tokens: int = Field(default=256, ge=16, le=8192, description="tokens each request must generate")
    request_timeout_s: float = Field(default=300, gt=0, description="wall-clock limit of one request, seconds")

    @property
    def loads(self) -> tuple[int, ...]:
        return self.steps

    @property
    def sizes(self) -> tuple[int, ...]:
        return ()


class _Load(Value):
    """One load and no sizes, unless a table says otherwise."""

    request_timeout_s: float = Field(default=600, gt=0, description="wall-clock limit of one request, seconds")

    @property
    def loads(self) -> tuple[int, ...]:
        return (1,)

    @property
    def sizes(self) -> tuple[int, ...]:
        return ()


class Mixed(_Load):
    """Users who start one after the other and ask for prompts and answers of different lengths (lesson M1)."""

    users: Users = Field(default=8, description="users at once")
    rounds: int = Field(default=3, ge=1, le=64, description="requests of each user, one after the other")
    stagger_s: float = Field(default=0.5, ge=0, le=60, description="seconds between the starts of two users")
    prompt_tokens: tuple[Length, ...] = Field(
        default=(64, 512, 2048), min_length=1, max_length=16, description="lengths of prompts, taken in turn"
    )
    tokens: tuple[Annotated[int, Field(ge=16, le=8192)], ...] = Field(
        default=(64, 256), min_length=1, max_length=16, description="lengths of answers, taken in turn"
    )

    @property
    def loads(self) -> tuple[int, ...]:
        return (self.users,)


class Documents(_Load):
    """Long prompts, each of its own, cold and proven cold: every length with every number of users (lesson M7)."""

    request_timeout_s: float = Field(default=3600, gt=0, description="wall-clock limit of one request, seconds")
    lengths: tuple[Length, ...] = Field(
        default=(4096, 16384, 65536), min_length=1, max_length=16, description="prompt tokens, growing"
    )
    users: tuple[Users, ...] = Field(default=(1, 4), min_length=1, max_length=16, description="users at once")
    tokens: int = Field(default=32, ge=2, le=8192, description="tokens each request must generate")
    warm: bool = Field(default=False, description="whether the same documents are asked again, warm")

    @property
    def loads(self) -> tuple[int, ...]:
        return self.users

    @property
    def sizes(self) -> tuple[int, ...]:
        return self.lengths

    @model_validator(mode="after")
    def _growing(self) -> Self:
        if any(after <= before for before, after in zip(self.lengths, self.lengths[1:], strict=False)):
            raise ValueError("lengths must grow: the exponent of growth is told from each one to the next")
        return self


class SharedDocument(_Load):
    """Several users at once on one document, the same to the byte, each with a question of his own (lesson M8)."""

    request_timeout_s: float = Field(default=3600, gt=0, description="wall-clock limit of one request, seconds")
    length: Length = Field(default=16384, description="prompt tokens of the document")
    users: tuple[Users, ...] = Field(default=(1, 2, 8), min_length=1, max_length=16, description="users at once")
    tokens: int = Field(default=32, ge=2, le=8192, description="tokens each request must generate")

    @property
    def loads(self) -> tuple[int, ...]:
        return self.users

    @model_validator(mode="after")
    def _has_one_user(self) -> Self:
        if 1 not in self.users:
            raise ValueError("users must hold 1: what sharing costs is told against a single user")
        return self


class NestedPrefix(_Load):
    """Whether a prompt that continues an earlier one is served from a cache (lesson M7)."""

    request_timeout_s: float = Field(default=3600, gt=0, description="wall-clock limit of one request, seconds")
    length: Length = Field(default=4096, description="prompt tokens of the inner prompt; the outer has twice as many")
    tokens: int = Field(default=16, ge=2, le=8192, description="tokens each request must generate")


class Priority(_Load):
    """An interactive request with a priority beside documents that were sent before it (lesson M14)."""

    request_timeout_s: float = Field(default=3600, gt=0, description="wall-clock limit of one request, seconds")
    documents: Users = Field(default=4, description="documents at once")
    length: Length = Field(default=65536, description="prompt tokens of each document")
    document_tokens: int = Field(default=64, ge=2, le=8192, description="tokens each document's answer must have")
    delay_s: float = Field(default=20, ge=0, le=3600, description="seconds from the documents to the probe")
    tokens: int = Field(default=64, ge=2, le=8192, description="tokens the probe must generate")
    priority: int = Field(default=-10, ge=-1000, le=1000, description="the probe's priority, in the engine's sense")
    document_priority: int = Field(default=0, ge=-1000, le=1000, description="the documents' priority")
    path: Literal["/v1/responses", "/v1/chat/completions", "/v1/completions"] = Field(
        default="/v1/responses", description="endpoint that takes a priority"
    )

    @property
    def loads(self) -> tuple[int, ...]:
        return (self.documents,)


class Soak(_Load):
    """Steady users for a long time: failures, progress, and what grows (lesson M13)."""

    seconds: float = Field(default=3600, ge=1, le=86_400, description="how long it is loaded, seconds")
    users: Users = Field(default=4, description="users at once, each with one request after the other")
    prompt_tokens: Length = Field(default=512, description="prompt tokens of each request")
    tokens: int = Field(default=256, ge=16, le=8192, description="tokens each request must generate")
    sample_s: float = Field(default=10, gt=0, le=600, description="seconds between two looks at the processes")
    plateau: float = Field(default=0.25, ge=0, le=0.8, description="share of the time until memory has its level")
    stall_s: float = Field(default=60, gt=0, description="longest time without any token of any user, seconds")
    max_failures: int = Field(default=0, ge=0, description="requests that may fail")
    max_growth_mib_h: float = Field(
        default=64, gt=0, description="memory that a process may gain, MiB an hour, by the lower bound of its growth"
    )
    max_descriptors_h: float = Field(
        default=60, gt=0, description="descriptors that a process may gain an hour, by the lower bound of its growth"
    )

    @property
    def loads(self) -> tuple[int, ...]:
        return (self.users,)

    @model_validator(mode="after")
    def _enough_looks(self) -> Self:
        looks = self.seconds * (1 - self.plateau) / self.sample_s
        if looks < MIN_LOOKS:
            raise ValueError(
                f"only {looks:.0f} looks fall after the plateau, {MIN_LOOKS} are needed for an interval; "
                "lower sample_s or make it longer"
            )
        return self


class Burst(_Load):
    """Many requests in the same moment on a server that was idle."""

    at_once: tuple[Users, ...] = Field(
        default=(8, 32), min_length=1, max_length=16, description="requests sent at once"
    )
    tokens: int = Field(default=64, ge=16, le=8192, description="tokens each request must generate")
    pause_s: float = Field(default=2, ge=0, le=600, description="idle seconds before each burst")

    @property
    def loads(self) -> tuple[int, ...]:
        return self.at_once


class ToolCalls(_Load):
    """Eight cases that need a tool, asked with `auto` and with `required` (lesson M13)."""

    tokens: int = Field(default=256, ge=16, le=8192, description="most tokens of one answer")
    least: int = Field(default=8, ge=1, le=8, description="cases of eight that must be right in at least one mode")


class Vision(_Load):
    """How many prompt tokens a picture becomes, by its size."""

    sides: tuple[Annotated[int, Field(ge=16, le=MAX_SIDE)], ...] = Field(
        default=(224, 448, 896), min_length=1, max_length=16, description="sides of square pictures, pixels"
    )
    tokens: int = Field(default=16, ge=2, le=8192, description="tokens each request must generate")

    @property
    def sizes(self) -> tuple[int, ...]:
        return self.sides


class Identity(_Load):
    """Whether one prompt at temperature 0 has one answer: asked again, and beside others (lesson M6)."""

    prompts: int = Field(default=4, ge=1, le=64, description="different prompts")
    repeats: int = Field(default=2, ge=2, le=16, description="how often each is asked alone")
    users: Annotated[int, Field(ge=2, le=1024)] = Field(default=4, description="users at once in the second part")
    tokens: int = Field(default=128, ge=16, le=8192, description="tokens each request must generate")
    must: Literal["report", "alone", "loaded"] = Field(
        default="report", description="what has to be identical: nothing, repeats alone, or those under load too"
    )

    @property
    def loads(self) -> tuple[int, ...]:
        return (1, self.users)


class Coherence(_Load):
    """Texts of forced and of free length, looked at from both sides: loops, and next to nothing (lesson M2)."""

    prompts: int = Field(default=8, ge=1, le=64, description="different prompts")
    tokens: int = Field(default=256, ge=100, le=8192, description="tokens of a forced answer, most of a free one")
    free: bool = Field(default=True, description="whether answers that may end by themselves are asked for too")
    max_incoherent: int = Field(default=0, ge=0, description="answers that may be degenerate or too short")


class TimeLimit(_Load):
    """A prompt whose prefill takes longer than a time limit of the engine (lesson S5)."""

    request_timeout_s: float = Field(default=3600, gt=0, description="wall-clock limit of the request, seconds")
    length: Length = Field(default=131_072, description="prompt tokens")
    limit_s: float = Field(default=300, gt=0, description="the engine's limit, which the prefill must outlast")
    tokens: int = Field(default=16, ge=2, le=8192, description="tokens that must be generated")

    @model_validator(mode="after")
    def _waits_longer(self) -> Self:
        if self.request_timeout_s <= self.limit_s:
            raise ValueError("request_timeout_s must be above limit_s, or the harness gives up before the engine does")
        return self
