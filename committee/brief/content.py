"""What a brief is made of. No time, no cost and no attempt number: the same review gives the same bytes."""

from dataclasses import dataclass

from committee.fuse.fused import Fused
from committee.vocabulary.proposal import ProposalHeader


@dataclass(frozen=True)
class TookPart:
    """A reviewer whose complete review is in the brief."""

    reviewer: str
    label: str  # live, recorded, or small CPU model


@dataclass(frozen=True)
class LeftOut:
    """A reviewer whose part was left out whole."""

    reviewer: str
    reason: str  # code of the closed list
    detail: str  # one sentence


@dataclass(frozen=True)
class BriefInput:
    """Everything a brief is rendered from."""

    header: ProposalHeader
    tree: str
    quorum: int
    took_part: tuple[TookPart, ...]
    left_out: tuple[LeftOut, ...]
    fused: Fused


@dataclass(frozen=True)
class Brief:
    """The two renderings."""

    markdown: str
    html: str
