"""A target: a server that the harness may start, measure, stop and must restore."""

import re
from typing import Literal, Self

from pydantic import Field, field_validator, model_validator

from harness.vocabulary.arm import NAME, Arm, Witness, normal, spelled_twice, text
from harness.vocabulary.base import Scalar, Value
from harness.vocabulary.known import Known
from harness.vocabulary.listed import Listed
from harness.vocabulary.nearest import nearest
from harness.vocabulary.seats import seats_of
from harness.vocabulary.secret_flags import SECRET_FLAG, instead_of_secret

SECRET_ENV = re.compile(r"KEY|TOKEN|SECRET|PASSW|CREDENTIAL", re.IGNORECASE)
# Variables that make a server, its interpreter or its libraries load and run other code, or talk to somebody else.
FORBIDDEN_ENV = re.compile(
    r"^(LD_|PATH$|HOME$|ENV$|BASH_ENV$|GCONV_PATH$|NODE_OPTIONS$|PYTHON|PERL5|RUBY|SSH_|.*_PROXY$|(.*_)?HOST)",
    re.IGNORECASE,
)
# The same for flags, by whole words.
_ADDRESS_FLAG = re.compile(
    r"(^|[-.])(hosts?|ports?|addr|address|bind|listen|uds|socket|url|proxy|rpc|origins?)([-.]|$)"
)
_ALIAS_FLAG = re.compile(r"(^|[-.])(alias|served-model-name)([-.]|$)|^a$")
_FILE_FLAG = re.compile(r"(^|[-.])(files?|paths?|dirs?|directory|folder|logdir|output|dump)$")
NEVER_AN_ARMS: tuple[tuple[re.Pattern[str], str], ...] = (
    (SECRET_FLAG, "it looks like a secret"),
    (_ADDRESS_FLAG, "it decides where the server answers or whom it talks to"),
    (_ALIAS_FLAG, "the name under which a server answers is the bench's proof of who it is"),
    (_FILE_FLAG, "it names a file or folder that the server could read or write"),
)


class Allowed(Value):
    """What an arm may set one flag or variable to."""

    type: Literal["int", "float", "bool", "choice"] = Field(description="kind of value")
    min: float | None = Field(default=None, description="smallest allowed number")
    max: float | None = Field(default=None, description="largest allowed number")
    values: tuple[str, ...] = Field(default=(), description="choice: the allowed words")

    @model_validator(mode="after")
    def _has_a_range(self) -> Self:
        if self.type in ("int", "float") and (self.min is None or self.max is None):
            raise ValueError("a number needs min and max")
        if self.type == "choice" and not self.values:
            raise ValueError("a choice needs values")
        return self

    def complaint(self, value: Scalar) -> str | None:
        """Why `value` is outside the range, or none if it is allowed."""
        if self.type == "bool":
            return None if isinstance(value, bool) or value in ("true", "false") else "must be true or false"
        if self.type == "choice":
            known = not isinstance(value, bool) and text(value) in self.values
            return None if known else f"must be one of {', '.join(self.values)}"
        try:
            number = float(str(value)) if not isinstance(value, bool) else None
        except ValueError:
            number = None
        if number is None or (self.type == "int" and not number.is_integer()):
            return f"must be {'a whole number' if self.type == 'int' else 'a number'}"
        if isinstance(value, str) and value != text(number):  # one change has one fingerprint, so one spelling
            return f"must be written as {text(number)}"
        low, high = self.min or 0.0, self.max or 0.0
        return None if low <= number <= high else f"must be between {low:g} and {high:g}"


class Baseline(Value):
    """The production configuration."""

    command: tuple[str, ...] = Field(min_length=1, description="argv before the flags; {python} is this interpreter")
    flags: dict[str, Scalar] = Field(default_factory=dict, description="flags in force in production")
    env: dict[str, str] = Field(default_factory=dict, description="variables in force in production")
    witness: tuple[Witness, ...] = Field(default=(), description="proofs that the baseline runs as described")
    private: tuple[str, ...] = Field(
        default=(),
        exclude_if=lambda value: not value,
        description="variables of `env` whose values are blanked wherever they appear; those of the private file are",
    )

    @field_validator("flags")
    @classmethod
    def _may_be_recorded(cls, value: dict[str, Scalar]) -> dict[str, Scalar]:
        if said := spelled_twice(value):
            raise ValueError(said)
        for name in value:
            if SECRET_FLAG.search(normal(name)):
                raise ValueError(f"{name!r} {instead_of_secret(normal(name))}")
        return value


class Endpoint(Value):
    """Where the API answers and how it is asked."""

    host: Literal["127.0.0.1", "::1", "localhost"] = Field(
        default="127.0.0.1", description="address on the target host"
    )
    port: int = Field(ge=0, le=65535, description="production's port; 0 lets the server choose and say so in its log")
    api: Literal["chat", "completions"] = Field(
        default="chat", description="which OpenAI-compatible endpoint is loaded"
    )
    model: str = Field(default="", description="model name to ask for; empty takes the one the server reports")
    tokenizer: str = Field(
        default="", pattern=r"^(/[\w./-]+)?$", description="path of the server's tokenizer, e.g. /tokenize; empty: none"
    )


class Ready(Value):
    """The line of the server's own log that means ready (lesson S2)."""

    pattern: str = Field(description="regular expression; a group named url gives the base address")
    timeout_s: float = Field(gt=0, le=7200, description="time limit for a start, seconds")

    @field_validator("pattern")
    @classmethod
    def _compiles(cls, value: str) -> str:
        return _regular(value)


class Armed(Value):
    """Markers that must stand k times in the server's own log (lesson A4)."""

    marker: str = Field(description="regular expression of the marker")
    count: int = Field(ge=1, description="how often it must be found, k of k")

    @field_validator("marker")
    @classmethod
    def _compiles(cls, value: str) -> str:
        return _regular(value)


class Teardown(Value):
    """How the server is ended and when the machine counts as free again (lesson S3)."""

    grace_s: float = Field(default=10, ge=0, le=600, description="seconds between the polite and the hard signal")
    memory_slack_mib: int = Field(default=256, ge=0, description="memory in use may exceed the level before by this")
    memory_timeout_s: float = Field(default=30, ge=0, le=3600, description="time limit for memory to come back")


class Quiet(Value):
    """When a machine is too busy or too slow for its numbers to be compared; what is left out is only recorded."""

    max_other_cpu_pct: float | None = Field(
        default=None, ge=0, le=100, description="processor time of others during a load, percent of all cores"
    )
    max_card_temperature_c: float | None = Field(default=None, gt=0, le=150, description="hottest card, degrees C")
    no_throttling: bool = Field(default=False, description="cores and cards must not be throttled during a load")
    no_strangers_on_cards: bool = Field(default=False, description="no process of others on any card")


class OtherHost(Value):
    """Another machine that carries the server, reached over ssh."""

    ssh: str = Field(
        pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.@:%-]*$", description="its name in your ssh configuration, or user@address"
    )
    folder: str = Field(
        default=".committee", min_length=1, description="folder there for what is kept; relative to the login's home"
    )
    python: str = Field(default="python3", min_length=1, description="Python 3.11 or newer there; also {python}")

    @field_validator("folder", "python")
    @classmethod
    def _one_plain_word(cls, value: str) -> str:
        if not re.fullmatch(r"[A-Za-z0-9._/+@-]+", value) or value.startswith("-") or ".." in value.split("/"):
            raise ValueError("only letters, digits, '.', '_', '/', '+', '@' and '-' may stand in it, and no '..'")
        return value


class Planning(Value):
    """Figures used to plan a run before anything was measured here."""

    launch_sd_pct: float = Field(gt=0, le=100, description="standard deviation between launches, percent")
    start_s: float = Field(gt=0, description="time of one start, seconds")
    user_tok_s: float = Field(default=20, gt=0, description="rate of a single user, tokens a second, for planning")
    at_once: int | None = Field(
        default=None,
        ge=1,
        exclude_if=lambda value: value is None,
        description="users whom the server answers at the same time; none: as its flags say, else `users`",
    )


class Target(Listed):
    """One server that can be measured. Arms are denied unless `allowed_flags` or `allowed_env` lists them."""

    schema_version: Literal[1] = Field(alias="schema", description="version of the file format")
    name: str = Field(pattern=NAME, description="short name, the file's name without .toml")
    title: str = Field(default="", description="one line for people")
    adapter: Literal["llamacpp", "vllm", "transformers", "command"] = Field(
        description="which engine adapter reads its report"
    )
    users: int = Field(ge=1, description="users it is designed for")
    baseline: Baseline = Field(description="the production configuration")
    endpoint: Endpoint = Field(description="where the API answers")
    ready: Ready = Field(description="what ready means")
    armed: tuple[Armed, ...] = Field(default=(), description="markers that must be found k of k")
    allowed_flags: dict[str, Allowed] = Field(default_factory=dict, description="flags an arm may set, with ranges")
    allowed_env: dict[str, Allowed] = Field(default_factory=dict, description="variables an arm may set, with ranges")
    recorded_env: tuple[str, ...] = Field(default=(), description="variables whose values may be recorded")
    teardown: Teardown = Field(default_factory=Teardown, description="how it is ended")
    quiet: Quiet = Field(default_factory=Quiet, description="when the machine is too busy for its numbers")
    planning: Planning = Field(description="figures for planning")
    host: OtherHost | None = Field(
        default=None,
        exclude_if=lambda value: value is None,  # what was planned before there was this key keeps its hash
        description="another machine that carries the server; none: this one",
    )

    known: Known | None = Field(
        default=None,
        exclude_if=lambda value: value is None,
        description="what rules before a start need and no flag says",
    )

    @property
    def planned(self) -> Planning:
        """The figures for planning, with how many users are answered at the same time."""
        at_once = self.planning.at_once or seats_of(self.adapter, self.baseline.flags, self.users)
        return self.planning.model_copy(update={"at_once": at_once})

    @property
    def most_users(self) -> int:
        """The highest load that may be measured; more says nothing about a server made for so few."""
        return 4 * self.users

    @model_validator(mode="after")
    def _script_is_the_command(self) -> Self:
        if self.deploy and self.deploy.script not in self.baseline.command:
            raise ValueError(f"deploy.script {self.deploy.script!r} is no word of baseline.command; write it there")
        return self

    @field_validator("allowed_env")
    @classmethod
    def _never_these(cls, value: dict[str, Allowed]) -> dict[str, Allowed]:
        for name in value:
            if FORBIDDEN_ENV.search(name) or SECRET_ENV.search(name):
                raise ValueError(f"{name!r} can never be allowed to an arm")
        return value

    @field_validator("recorded_env")
    @classmethod
    def _no_secrets(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for name in value:
            if SECRET_ENV.search(name):
                raise ValueError(f"{name!r} looks like a secret, so its value can never be recorded; leave it out")
        return value

    @field_validator("allowed_flags")
    @classmethod
    def _flags_for_arms(cls, value: dict[str, Allowed]) -> dict[str, Allowed]:
        if said := spelled_twice(value):
            raise ValueError(said)
        for name in value:
            for pattern, reason in NEVER_AN_ARMS:
                if pattern.search(normal(name)):
                    raise ValueError(f"{name!r} can never be allowed to an arm: {reason}; leave it out")
        return {normal(name): allowed for name, allowed in value.items()}

    def denials(self, arm: Arm) -> tuple[str, ...]:
        """One sentence for every setting of the arm that this target does not allow; empty means admitted."""
        said: list[str] = []
        for what, given, listed in (
            ("flag", {normal(k): v for k, v in arm.flags.items()}, self.allowed_flags),
            ("variable", dict(arm.env), self.allowed_env),
        ):
            for name, value in given.items():
                allowed = listed.get(name)
                complaint = "is not listed" if allowed is None else allowed.complaint(value)
                if allowed and allowed.type == "bool" and what == "flag" and isinstance(value, str):
                    complaint = "must be true or false, without quotes,"  # `--x true` is not what `--x` is
                near = nearest(name, listed) if allowed is None else None
                hint = f" (the nearest listed one is {near!r})" if near else ""
                if complaint:
                    told = f"arm {arm.name!r}: {what} {name!r} = {value!r} {complaint} for target {self.name!r}"
                    said.append(f"{told}{hint}")
        said += [f"arm {arm.name!r}: {denial} for target {self.name!r}" for denial in self.file_denials(arm)]
        return tuple(said)


def _regular(pattern: str) -> str:
    """The pattern itself, found out before production is touched if it is none."""
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(f"the pattern is not a regular expression ({error})") from error
    return pattern
