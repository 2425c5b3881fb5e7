"""committee.toml: who reviews and under which rules. Keys appear by the name of an environment variable only."""

import re
from pathlib import Path
from typing import Literal, Self
from urllib.parse import SplitResult, urlsplit

from pydantic import Field, field_validator, model_validator

from committee.vocabulary.key_name import KeyName
from committee.vocabulary.lens import Lens, assigned
from committee.vocabulary.secret_forms import kinds_in
from harness.vocabulary.arm import NAME
from harness.vocabulary.base import BadFileError, Value
from harness.vocabulary.records import LedgerSettings

LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
LABELS = {"openai": "live", "command": "live", "recorded": "recorded", "embedded": "small CPU model"}

PRICES = ("price_in_per_mtok", "price_out_per_mtok")
NOBODYS = frozenset({"recorded", "embedded"})  # kinds answered on this machine: no tokens of anybody's

ReviewerKind = Literal["openai", "command", "recorded", "embedded"]
AnswerFormat = Literal["json_schema", "json_object", "none"]


class Reviewer(Value):
    """One source of reviews."""

    name: str = Field(pattern=NAME, description="short name, unique in the file")
    kind: ReviewerKind = Field(description="how it is asked")
    base_url: str = Field(default="", description="openai: address of the API, usually ending in /v1")
    model: str = Field(default="", max_length=200, description="openai: model name to ask for")
    key_env: KeyName | None = Field(default=None, description="name of the environment variable that holds the key")
    timeout_s: float = Field(default=300, gt=0, le=7200, description="wall-clock limit around the whole call, seconds")
    max_tokens: int = Field(default=4096, ge=64, le=200_000, description="most tokens an answer may have")
    answer_format: AnswerFormat = Field(
        default="json_schema", description="openai: what the server is asked to hold the answer to"
    )
    price_in_per_mtok: float | None = Field(default=None, ge=0, description="price of a million prompt tokens")
    price_out_per_mtok: float | None = Field(default=None, ge=0, description="price of a million answer tokens")
    argv: tuple[str, ...] = Field(default=(), description="command: program and arguments; the prompt comes on stdin")
    confined: bool = Field(default=True, description="command: whether bubblewrap shuts it in, where it is installed")
    readable: tuple[str, ...] = Field(
        default=(), description="command: absolute paths that it may read when shut in, beside the system's own"
    )
    arms: bool = Field(default=True, description="embedded: whether it is asked for an arm, or for a hypothesis alone")
    recording: str = Field(default="", description="recorded: path of the recording, relative to committee.toml")
    label: str = Field(default="", max_length=60, description="what it is, shown wherever its words are")
    lens: Lens | None = Field(default=None, description="what it is asked to look at first; else one of review.lenses")

    @model_validator(mode="after")
    def _complete(self) -> Self:
        needed = {
            "openai": ("base_url", "model"),
            "command": ("argv",),
            "recorded": ("recording",),
            "embedded": (),
        }[self.kind]
        for key in needed:
            if not getattr(self, key):
                raise ValueError(f"reviewer {self.name!r} of kind {self.kind!r} needs {key}")
        for path in self.readable:
            if not path.startswith("/") or ".." in path.split("/") or not set(path.split("/")) - {"", "."}:
                raise ValueError(f"readable {path!r} must be an absolute path below the root, without ..")
        lacking = [key for key in PRICES if getattr(self, key) is None]
        if len(lacking) == 1:
            raise ValueError(
                f"reviewer {self.name!r} has no {lacking[0]} beside its other price, so half of what a call costs is "
                f"unknown; give {lacking[0]} too, 0 where that half costs nothing"
            )
        if self.kind == "openai":
            _check_address(self.base_url)
        for key, words in {"argv": self.argv, "base_url": (self.base_url,), "model": (self.model,)}.items():
            if kinds := kinds_in(_as_read(words)):
                raise ValueError(_holds_a_key(f"{key} of reviewer {self.name!r}", kinds))
        return self

    @property
    def priced(self) -> bool:
        """Whether what its calls cost is known: by its prices, also of 0, or as nobody is paid for its kind."""
        return self.kind in NOBODYS or None not in (self.price_in_per_mtok, self.price_out_per_mtok)

    @property
    def shown_as(self) -> str:
        """The label, or the usual one for its kind."""
        return self.label or LABELS[self.kind]

    @property
    def shown_model(self) -> str:
        """The model asked for, or the command's first word."""
        if self.kind == "command":
            return self.argv[0]
        if self.kind == "recorded":
            return f"recorded/{Path(self.recording).stem}"
        return self.model or "demo"


class ReviewRules(Value):
    """The rules of a review run."""

    quorum: int = Field(default=2, ge=1, description="how many complete reviews a brief needs")
    calls_per_endpoint: int = Field(
        default=8, ge=1, le=1000, description="most calls that are on their way to one endpoint at once"
    )
    language: str = Field(
        default="en", pattern=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$", description="language of reviews and briefs"
    )
    lenses: tuple[Lens, ...] = Field(default=(), description="what reviewers look at first, dealt out in their order")
    second_look: bool = Field(
        default=False, description="whether complete reviewers then see the fused hypotheses and may add or refute"
    )


class SpendingLimits(Value):
    """What all proposals' reviews together may use; a key left out is no limit."""

    money: float | None = Field(default=None, ge=0, description="most that all reviews may cost")
    tokens: int | None = Field(default=None, ge=0, description="most tokens of all reviews, in and out")


class CommitteeConfig(Value):
    """The whole of committee.toml."""

    schema_version: Literal[1] = Field(default=1, alias="schema", description="version of the file format")
    review: ReviewRules = Field(default_factory=ReviewRules, description="rules of a review run")
    ledger: LedgerSettings = Field(default_factory=LedgerSettings, description="where the workspace's ledger is")
    budget: SpendingLimits = Field(default_factory=SpendingLimits, description="what all reviews may use")
    reviewer: tuple[Reviewer, ...] = Field(
        default=(), validate_default=True, description="the reviewers, in the order shown"
    )

    @field_validator("reviewer")
    @classmethod
    def _somebody_once(cls, value: tuple[Reviewer, ...]) -> tuple[Reviewer, ...]:
        if not value:
            raise ValueError("there is no [[reviewer]]; add at least one, or nobody can be asked")
        names = [reviewer.name for reviewer in value]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"reviewer {twice[0]!r} stands there twice; give each its own name")
        return value

    @model_validator(mode="after")
    def _quorum_can_be_met(self) -> Self:
        if self.review.quorum > len(self.reviewer):
            raise ValueError(
                f"quorum is {self.review.quorum} but there are only {len(self.reviewer)} reviewers; "
                "lower the quorum or add reviewers"
            )
        return self

    def named(self, name: str) -> Reviewer:
        """The reviewer of that name. Raises BadFileError when committee.toml no longer has it."""
        for reviewer in self.reviewer:
            if reviewer.name == name:
                return reviewer
        raise BadFileError(
            f"committee.toml has no reviewer {name!r}, but the run asks it; put it back or start a new run"
        )


def read_config(path: Path) -> CommitteeConfig:
    """Read committee.toml; recordings become absolute, lenses are dealt out. Raises BadFileError with one sentence."""
    config = CommitteeConfig.from_toml(path)
    lenses = assigned([reviewer.lens for reviewer in config.reviewer], config.review.lenses)
    reviewers = tuple(
        _resolved(reviewer, path.parent).model_copy(update={"lens": lens})
        for reviewer, lens in zip(config.reviewer, lenses, strict=True)
    )
    return config.model_copy(update={"reviewer": reviewers})


def _resolved(reviewer: Reviewer, folder: Path) -> Reviewer:
    if reviewer.kind != "recorded":
        return reviewer
    return reviewer.model_copy(update={"recording": str((folder / reviewer.recording).resolve())})


def _holds_a_key(where: str, kinds: tuple[str, ...]) -> str:
    return (
        f"{where} looks like it holds a secret ({', '.join(kinds)}), and it is recorded; of kind openai: name its "
        "variable with key_env, of kind command: let the program read a file of its own; take it out here and "
        "from git, and change that secret"
    )


def _as_read(words: tuple[str, ...]) -> str:
    """Words as the scanner takes them: on one line as they were typed, and each part of a path or setting in quotes."""
    parts = (part for word in words for part in re.split(r"[/=]", word) if part)
    return "\n".join((" ".join(words), *(f'"{part}"' for part in parts)))


def _check_address(base_url: str) -> None:
    parts = urlsplit(base_url)
    if parts.scheme not in ("http", "https") or not parts.hostname or not _usable(parts):
        raise ValueError(f"base_url {base_url!r} is not an http or https address")
    if not base_url.isascii():
        raise ValueError(
            f"base_url {base_url!a} holds letters that look like others or are not seen; write it in ASCII"
        )
    if parts.username or parts.password or re.search(r"[?#\s]", base_url):
        raise ValueError("base_url must not hold a user, a password, a query or spaces; name the key with key_env")
    if parts.scheme == "http" and parts.hostname not in LOOPBACK:
        raise ValueError(
            f"base_url {base_url!r} would send the key in clear text; use https, http is for loopback only"
        )


def _usable(parts: SplitResult) -> bool:
    """Whether its port, if any, is one."""
    try:
        return parts.port != 0
    except ValueError:
        return False
