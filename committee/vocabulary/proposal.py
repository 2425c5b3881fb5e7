"""A proposal's header, its folder as loaded, its frozen revision. Values only; reading a folder is `proposals/`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from committee.vocabulary.plain import OneLine
from harness.vocabulary.arm import NAME, Arm
from harness.vocabulary.base import Value
from harness.vocabulary.criteria import Criteria

PROPOSAL_ID = r"^\d{4}-[a-z0-9][a-z0-9-]{0,42}$"  # fits where an arm's or target's name fits
TASK_NAME = r"^[a-z0-9][a-z0-9_-]{0,63}$"
ProposalId = Annotated[str, Field(pattern=PROPOSAL_ID, description="four digits, a hyphen and a slug")]
ProposalKind = Literal["config", "kernel"]


class Budget(Value):
    """What may be spent on the proposal."""

    money: float = Field(ge=0, description="most that its reviews may cost, in the workspace's currency")
    tokens: int | None = Field(
        default=None, ge=0, description="most tokens that its reviews may use, in and out; none is no limit"
    )
    server_minutes: float = Field(ge=0, description="most that measuring may keep production down, in minutes")


class ProposalHeader(Value):
    """proposal.toml: what is asked, about which target, and what it may cost."""

    schema_version: Literal[1] = Field(alias="schema", description="version of the file format")
    id: ProposalId = Field(description="the folder's name")
    title: OneLine = Field(min_length=1, max_length=200, description="one line for people")
    kind: ProposalKind = Field(description="config: settings of an engine; kernel: source it compiles")
    target: str = Field(pattern=NAME, description="name of the target it is about")
    question: OneLine = Field(min_length=1, max_length=2000, description="the one question the reviewers are asked")
    budget: Budget = Field(description="what may be spent on it")
    task: str | None = Field(
        default=None,
        pattern=TASK_NAME,
        description="kind kernel: folder in kernels/ that says what the kernel computes",
    )


@dataclass(frozen=True)
class FrozenRevision:
    """The exact content of a proposal's folder at one moment: what leaves the machine and what is measured."""

    proposal: str  # the proposal's id
    tree: str  # git tree object id, 40 hexadecimal digits
    files: tuple[tuple[str, bytes], ...]  # path with forward slashes and content, sorted by path
    executable: frozenset[str] = frozenset()  # paths that git's tree holds as executable


@dataclass(frozen=True)
class LoadedProposal:
    """A proposal's folder, read and validated."""

    folder: Path
    header: ProposalHeader
    criteria: Criteria
    arms: tuple[Arm, ...]  # those the author already knows, sorted by file name
