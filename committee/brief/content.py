"""What a brief is made of. No time, no cost and no attempt number: the same review gives the same bytes."""

from dataclasses import dataclass

from committee.fuse.fused import Fused
from committee.vocabulary.language import Language
from committee.vocabulary.proposal import ProposalHeader
from committee.vocabulary.steps import StepTable
from ledger.entries import Hypothesis


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
class SecondLook:
    """The round in which reviewers saw the fused hypotheses without names."""

    run: str
    took_part: tuple[TookPart, ...]
    left_out: tuple[LeftOut, ...]


@dataclass(frozen=True)
class WithoutComments:
    """What the round without comments says about the first one."""

    only_with_comments: frozenset[str]  # ids of hypotheses that their reviewer does not name without comments
    not_compared: frozenset[str]  # reviewers without a complete review of the files without comments
    failed_by_comments: frozenset[str] = frozenset()  # left out, while their review without comments is complete
    perhaps_reworded: frozenset[str] = frozenset()  # of those: perhaps one of `silenced` in other words
    silenced: tuple[Hypothesis, ...] = ()  # said without comments only; shown, neither fused nor measured


@dataclass(frozen=True)
class BriefInput:
    """Everything a brief is rendered from."""

    header: ProposalHeader
    tree: str
    quorum: int
    took_part: tuple[TookPart, ...]
    left_out: tuple[LeftOut, ...]
    fused: Fused
    language: Language = Language.EN
    second_look: SecondLook | None = None
    without_comments: WithoutComments | None = None
    steps: tuple[StepTable, ...] = ()


@dataclass(frozen=True)
class Brief:
    """The two renderings."""

    markdown: str
    html: str
