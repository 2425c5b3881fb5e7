"""The prompt's text. Pure: a function of the frozen revision, the target and this attempt's random words."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

from jinja2 import Environment, StrictUndefined, Template

from committee.proposals.folder import TEXT
from committee.review.known import NOTHING_KNOWN, Known, Shown
from committee.vocabulary.example import example_answer
from committee.vocabulary.language import Language, shipped
from committee.vocabulary.lens import Lens
from committee.vocabulary.proposal import FrozenRevision
from committee.vocabulary.review import MAX_HYPOTHESES
from committee.vocabulary.steps import StepTable, most_pct
from harness.vocabulary.arm import text as written
from harness.vocabulary.metrics import METRICS, ProtocolName
from harness.vocabulary.outcome import Metric
from harness.vocabulary.target import Allowed, Target
from ledger.canonical import sha256_hex

TEMPLATES = {Language.EN: "review.j2", Language.ZH_TW: "review.zh-TW.j2"}
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
    known: Known = NOTHING_KNOWN
    shown: tuple[Shown, ...] = ()  # of a second look: the fused hypotheses without names

    @property
    def framed(self) -> tuple[bytes, ...]:
        """All that the author or a reviewer wrote and that stands between boundaries in the prompt."""
        told = (text.encode() for one in self.shown for text in one.texts)
        return (
            self.title.encode(),
            self.question.encode(),
            *told,
            *(content for _path, content in self.revision.files),
        )

    @property
    def parts(self) -> tuple[str, ...]:
        """Names of the parts in its step-time tables, sorted."""
        return tuple(sorted({part.name for table in self.known.steps for part in table.part}))


@dataclass(frozen=True)
class Attempted:
    """What is new in each attempt."""

    nonce: str
    boundary: str
    language: str
    only_text: bool = False  # for a very small model: PROPOSAL.md alone, which fits into its context
    max_hypotheses: int = MAX_HYPOTHESES
    arms: bool = True  # whether arms are asked for
    lens: Lens | None = None  # what this reviewer looks at first


@dataclass(frozen=True)
class _ShownFile:
    path: str
    lines: tuple[str, ...]
    binary_bytes: int | None  # none for text


@dataclass(frozen=True)
class _Range:
    """What an arm may set one flag or variable to."""

    what: str  # flag or variable
    name: str
    type: str
    values: tuple[str, ...]  # empty for a range of numbers
    low: str
    high: str


@dataclass(frozen=True)
class _ShownPart:
    name: str
    ms: str
    most: str  # with its sign, or an infinity


@dataclass(frozen=True)
class _ShownSteps:
    phase: str
    load: int
    step_ms: str
    parts: tuple[_ShownPart, ...]


def template_text(language: str = Language.EN) -> str:
    """The template as shipped, in the nearest shipped language."""
    name = TEMPLATES[shipped(language)]
    return resources.files("committee.review").joinpath("templates", name).read_text(encoding="utf-8")


@cache
def template_sha256(language: str = Language.EN) -> str:
    """The hash that a review run records: of the template and of the example that it shows."""
    return sha256_hex((template_text(language) + example_answer(shipped(language))).encode())


def render(subject: Subject, attempted: Attempted) -> str:
    """The whole prompt. Raises ValueError when the boundary stands in what it frames: it would prove nothing."""
    if any(attempted.boundary.encode() in text for text in subject.framed):
        raise ValueError("the boundary stands in a text of the revision; draw another")
    target, small = subject.target, attempted.only_text
    return _template(shipped(attempted.language)).render(
        nonce=attempted.nonce,
        boundary=attempted.boundary,
        language=attempted.language,
        lens=attempted.lens.value if attempted.lens else "",
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
        patchable=subject.known.patchable if attempted.arms and not small else (),
        knobs=() if small else subject.known.knobs,
        steps=[] if small else [_steps(table) for table in subject.known.steps],
        parts=() if small else subject.parts,
        shown=subject.shown,
        earlier=subject.earlier,
        only_text=small,
        example="" if small else example_answer(shipped(attempted.language)),
        files=[_shown(*file) for file in subject.revision.files if file[0] == TEXT or not small],
    )


def _allowed(target: Target) -> list[_Range]:
    return [*_ranges("flag", target.allowed_flags), *_ranges("variable", target.allowed_env)]


def boundary_for(framed: Sequence[bytes], words: Sequence[str]) -> str:
    """The first of some random words that stands in no text. Raises ValueError when all do."""
    for word in words:
        if not any(word.encode() in content for content in framed):
            return word
    raise ValueError("every boundary drawn stands in a text of the revision")


@cache
def _template(language: Language) -> Template:
    """Compiled once: compiling takes ten times as long as a prompt."""
    return _environment().from_string(template_text(language))


def _environment() -> Environment:
    """Plain text is made, so nothing is escaped; values are never read as templates."""
    return Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False)  # noqa: S701


def _ranges(what: str, listed: dict[str, Allowed]) -> list[_Range]:
    lines = []
    for name, allowed in sorted(listed.items()):
        values = ("true", "false") if allowed.type == "bool" else allowed.values
        low, high = (f"{bound:g}" if bound is not None else "" for bound in (allowed.min, allowed.max))
        lines.append(_Range(what, name, allowed.type, values, low, high))
    return lines


def _steps(table: StepTable) -> _ShownSteps:
    metric = Metric.TOTAL_TOK_S if table.phase == "decode" else Metric.TTFT_MS
    sign = "+" if table.phase == "decode" else "-"
    parts = []
    for part in table.part:
        most = most_pct(table.share(part.name) or 0.0, metric)
        parts.append(_ShownPart(part.name, f"{part.ms:g}", "+∞" if most is None else f"{sign}{most:.3g} %"))
    return _ShownSteps(table.phase, table.load, f"{table.step_ms:g}", tuple(parts))


def _shown(path: str, content: bytes) -> _ShownFile:
    try:
        lines = tuple(content.decode("utf-8").replace("\r\n", "\n").removesuffix("\n").split("\n"))
    except UnicodeDecodeError:
        return _ShownFile(path, (), len(content))
    return _ShownFile(path, lines, None)
