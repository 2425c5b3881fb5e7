"""An order: everything a measuring run needs, as one file. The front office writes it, the command line can make it."""

import secrets
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from pydantic import Field, ValidationError, field_validator, model_validator

from harness.overlay.prepare import prepare
from harness.planning.stacks import expand
from harness.vocabulary.accepted import Accepted, with_accepted
from harness.vocabulary.arm import NAME, Arm
from harness.vocabulary.base import BadFileError, Value, complaints, parse_toml
from harness.vocabulary.criteria import Criteria
from harness.vocabulary.private import Private, with_private
from harness.vocabulary.target import Target
from harness.vocabulary.undecided import undecided
from ledger.canonical import sha256_hex


class ArmOrder(Value):
    """One arm to measure, and who named it."""

    arm: Arm = Field(description="the change and its witness")
    origins: tuple[str, ...] = Field(default=("author",), description="author, or ids of hypotheses")
    approved_by: str | None = Field(
        default=None,
        min_length=1,
        max_length=100,
        exclude_if=lambda value: value is None,
        description="the person who said yes to an arm that is code, none for others",
    )


class Order(Value):
    """What is to be measured. The run's id is fixed here, so that a second start of the same order resumes it."""

    run: str = Field(pattern=r"^[a-z]+-[0-9a-z-]{6,60}$", description="the measuring run's id")
    target: Target = Field(description="the target as read")
    target_sha256: str = Field(pattern=r"^[0-9a-f]{64}$", description="hash of the target file's bytes")
    criteria: Criteria = Field(description="what is measured and what must come out")
    arms: tuple[ArmOrder, ...] = Field(min_length=1, description="the arms, without order of merit")
    seed: int = Field(ge=0, description="seed of the shuffling and of the prompts")
    proposal: str | None = Field(default=None, pattern=NAME, description="the proposal, none for arms measured alone")
    tree: str | None = Field(
        default=None, pattern=r"^[0-9a-f]{40}$", description="the revision, none for arms measured alone"
    )

    @field_validator("arms")
    @classmethod
    def _stacks_filled_in(cls, value: tuple[ArmOrder, ...]) -> tuple[ArmOrder, ...]:
        expanded = expand([item.arm for item in value])
        if isinstance(expanded, str):
            raise ValueError(expanded)
        named = {item.arm.name: item for item in value}
        return tuple(_ordered(arm, named) for arm in expanded)

    @model_validator(mode="after")
    def _admitted(self) -> Self:
        seen: dict[str, str] = {}
        for arm in (item.arm for item in self.arms):
            if denials := self.target.denials(arm):
                raise ValueError("; ".join(denials))
            if arm.fingerprint in seen:
                raise ValueError(f"arms {seen[arm.fingerprint]!r} and {arm.name!r} are the same change; keep one")
            seen[arm.fingerprint] = arm.name
        highest = max(self.criteria.settings.loads)  # the loads of the primary metric and of guards are among them
        if highest > self.target.most_users:
            raise ValueError(f"load {highest} is more than four times what {self.target.name!r} is designed for")
        return self

    @model_validator(mode="after")
    def _code_needs_a_persons_yes(self) -> Self:
        for item in self.arms:
            if item.arm.is_code and not item.approved_by:
                raise ValueError(
                    f"arm {item.arm.name!r} runs code that is not production's; a person has to read it and say yes "
                    "(approved_by in the order, --approve NAME on the command line)"
                )
            prepare(self.target, item.arm, self.run)  # raises where a copy would not be used
        return self

    @classmethod
    def from_json(cls, path: Path) -> Self:
        """Read an order file. Raises BadFileError with one sentence."""
        try:
            return cls.model_validate_json(path.read_bytes())
        except ValidationError as error:
            raise BadFileError(complaints(error, str(path))) from error
        except OSError as error:
            raise BadFileError(f"order {str(path)!r} cannot be read ({error.strerror}); check the path") from error

    @property
    def copies(self) -> str:
        """What a person has to know who corrects a file after the order was written: it is not read again."""
        again = (
            f"committee measure {self.proposal}"
            if self.proposal
            else f"harness measure {self.target.name} --criteria FILE --arm FILE"
        )
        return (
            f"this order keeps its own copy of 'targets/{self.target.name}.toml' and of the arms, so what you correct "
            f"there needs a new order: `{again}`"
        )

    def to_json(self) -> str:
        """The order as JSON text that `from_json` reads back."""
        return self.model_dump_json(by_alias=True, indent=2)


def _ordered(arm: Arm, named: Mapping[str, ArmOrder]) -> ArmOrder:
    """The order for an arm after stacks were filled in; one that was added has the origins and the yes of its parts."""
    given, parts = named.get(arm.name), [named[name] for name in arm.stack if name in named]
    if given is not None and not parts:
        return given
    yes = {item.arm.name: item.approved_by for item in parts if item.arm.is_code}
    origins = given.origins if given else tuple(dict.fromkeys(origin for item in parts for origin in item.origins))
    said = ", ".join(dict.fromkeys(name for name in yes.values() if name)) if all(yes.values()) else None
    return ArmOrder(arm=arm, origins=origins, approved_by=(given.approved_by if given else None) or said or None)


def read_target(path: Path, *, draft: bool = False) -> tuple[Target, str]:
    """A target with its private variables and its accepted baseline laid over it, and the hash of its files without
    the private one. Raises BadFileError, also for a draft with unanswered questions unless one is good enough."""
    target, written = _as_written(path, draft)
    overlay = path.with_name(f"{path.stem}.accepted.toml")
    if not overlay.exists():
        return target, sha256_hex(written)
    return _laid_over(target, Accepted.from_toml(overlay), str(overlay)), sha256_hex(written + overlay.read_bytes())


def read_target_with(path: Path, overlay: str | None) -> tuple[Target, str]:
    """As `read_target` would with this text as the accepted baseline, or with none, whatever lies there.

    Raises BadFileError.
    """
    target, written = _as_written(path, draft=False)
    if overlay is None:
        return target, sha256_hex(written)
    where, content = str(path.with_name(f"{path.stem}.accepted.toml")), overlay.encode()
    accepted = Accepted.from_mapping(parse_toml(content, where), where)
    return _laid_over(target, accepted, where), sha256_hex(written + content)


def _as_written(path: Path, draft: bool) -> tuple[Target, bytes]:
    """What persons wrote: the target with its private variables, and the bytes of its own file."""
    target = Target.from_toml(path)
    if target.name != path.stem:
        raise BadFileError(f"{str(path)!r} names itself {target.name!r}; name and file must agree")
    written = path.read_bytes()
    hidden = path.with_name(f"{path.stem}.private.toml")
    asked = () if draft else [one for one in (path, hidden) if one.exists()]
    open_ones = [said for one in asked if (said := undecided(one.read_text(encoding="utf-8"), str(one)))]
    if open_ones:
        raise BadFileError("; and ".join(open_ones))
    if hidden.exists():
        target = with_private(target, Private.from_toml(hidden), str(hidden))
    return target, written


def _laid_over(target: Target, accepted: Accepted, where: str) -> Target:
    if accepted.target != target.name:
        raise BadFileError(f"{where!r} belongs to {accepted.target!r}; move it away")
    return with_accepted(target, accepted)


def new_run_id() -> str:
    """A fresh id of a measuring run: date, time and eight random hexadecimal digits."""
    return f"measure-{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(4)}"
