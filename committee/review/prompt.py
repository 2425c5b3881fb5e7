"""The prompt's text. Pure: a function of the frozen revision, the target and this attempt's random words."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources

from jinja2 import Environment, StrictUndefined

from committee.proposals.folder import TEXT
from committee.vocabulary.proposal import FrozenRevision
from committee.vocabulary.review import MAX_HYPOTHESES
from harness.vocabulary.arm import text as written
from harness.vocabulary.metrics import METRICS, ProtocolName
from harness.vocabulary.outcome import Metric
from harness.vocabulary.target import Allowed, Target
from ledger.canonical import sha256_hex

TEMPLATE = "review.j2"
BOUNDARY_BYTES = 8  # 64 random bits


@dataclass(frozen=True)
class Subject:
    """What is reviewed, the same for every reviewer of a run."""

    revision: FrozenRevision
    title: str
    question: str
    target: Target
    loads: tuple[int, ...]  # loads that the criteria measure
    earlier: tuple[str, ...]  # one line for each earlier verdict
    metrics: tuple[Metric, ...] = METRICS[ProtocolName.LADDER]  # metrics that the criteria's protocol compares

    @property
    def framed(self) -> tuple[bytes, ...]:
        """All that the author wrote and that stands between boundaries in the prompt."""
        return (self.title.encode(), self.question.encode(), *(content for _path, content in self.revision.files))


@dataclass(frozen=True)
class Attempted:
    """What is new in each attempt."""

    nonce: str
    boundary: str
    language: str
    only_text: bool = False  # for a very small model: PROPOSAL.md alone, which fits into its context
    max_hypotheses: int = MAX_HYPOTHESES
    arms: bool = True  # whether arms are asked for


@dataclass(frozen=True)
class _ShownFile:
    path: str
    lines: tuple[str, ...]


def template_text() -> str:
    """The template as shipped."""
    return resources.files("committee.review").joinpath("templates", TEMPLATE).read_text(encoding="utf-8")


def template_sha256() -> str:
    """The hash that a review run records."""
    return sha256_hex(template_text().encode())


def render(subject: Subject, attempted: Attempted) -> str:
    """The whole prompt. Raises ValueError when the boundary stands in what it frames: it would prove nothing."""
    if any(attempted.boundary.encode() in text for text in subject.framed):
        raise ValueError("the boundary stands in a text of the revision; draw another")
    target = subject.target
    return (
        _environment()
        .from_string(template_text())
        .render(
            nonce=attempted.nonce,
            boundary=attempted.boundary,
            language=attempted.language,
            max_hypotheses=attempted.max_hypotheses,
            proposal=subject.revision.proposal,
            title=subject.title,
            question=subject.question,
            metrics=[metric.value for metric in subject.metrics],
            loads=sorted(set(subject.loads)),
            target=target.name,
            target_title=target.title,
            production=[(name, written(value)) for name, value in target.baseline.flags.items()],
            allowed=_allowed(target) if attempted.arms else [],
            earlier=subject.earlier,
            only_text=attempted.only_text,
            files=[_shown(*file) for file in subject.revision.files if file[0] == TEXT or not attempted.only_text],
        )
    )


def _allowed(target: Target) -> list[str]:
    return [*_ranges("flag", target.allowed_flags), *_ranges("variable", target.allowed_env)]


def boundary_for(framed: Sequence[bytes], words: Sequence[str]) -> str:
    """The first of some random words that stands in no text. Raises ValueError when all do."""
    for word in words:
        if not any(word.encode() in content for content in framed):
            return word
    raise ValueError("every boundary drawn stands in a text of the revision")


def _environment() -> Environment:
    """Plain text is made, so nothing is escaped; values are never read as templates."""
    return Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False)  # noqa: S701


def _ranges(what: str, listed: dict[str, Allowed]) -> list[str]:
    lines = []
    for name, allowed in sorted(listed.items()):
        if allowed.type == "choice":
            said = " | ".join(allowed.values)
        elif allowed.type == "bool":
            said = "true | false"
        else:
            said = f"{allowed.type} from {allowed.min:g} to {allowed.max:g}"
        lines.append(f"{what} {name}: {said}")
    return lines


def _shown(path: str, content: bytes) -> _ShownFile:
    try:
        lines = tuple(content.decode("utf-8").replace("\r\n", "\n").removesuffix("\n").split("\n"))
    except UnicodeDecodeError:
        lines = (f"(binary, {len(content)} bytes, not shown)",)
    return _ShownFile(path, lines)
