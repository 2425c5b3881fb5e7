"""Pure: the first page: how things stand, what to do next, what is newest, and where everything else lies."""

from dataclasses import dataclass

from committee.report.entries import DatedEntry
from committee.report.history import grouped
from committee.report.lines import Line, Question
from committee.report.next_step import by_hand
from committee.report.phrases import Phrase
from committee.report.site.kernels import bench_runs
from committee.report.site.record import Record
from committee.report.site.settings import setting_names
from committee.report.standing import Missing, missing
from committee.report.today import State

WHOLE_QUESTIONS = 6  # newest questions whose lines are shown; every other one is a link
NEWEST_ENTRIES = 25
NEXT_STEPS = 6


@dataclass(frozen=True)
class Tile:
    """One count of lines, to be seen at a glance."""

    count: int
    label: Phrase
    kind: str  # class of its colour: good, bad, or none


@dataclass(frozen=True)
class Step:
    """Something a person can do now."""

    question: Question
    line: Line


@dataclass(frozen=True)
class Summary:
    """One question in a line."""

    question: Question
    states: tuple[tuple[State, int], ...]


@dataclass(frozen=True)
class Overview:
    """The first page."""

    head_seq: int
    head_id: str
    head_time: str
    missing: tuple[Missing, ...]
    tiles: tuple[Tile, ...]
    steps: tuple[Step, ...]
    questions: tuple[Question, ...]
    summaries: tuple[Summary, ...]
    newest: tuple[DatedEntry, ...]
    months: tuple[tuple[str, int], ...]
    targets: tuple[str, ...]
    settings: tuple[str, ...]
    reviewers: tuple[str, ...]
    kernels: tuple[str, ...]  # tasks of the kernel bench
    imported: int
    alone: tuple[DatedEntry, ...]  # runs without a proposal


def overview(record: Record) -> Overview:
    """Of everything on record."""
    history = record.history
    return Overview(
        head_seq=history.head_seq,
        head_id=history.head_id,
        head_time=history.head_time,
        missing=missing(history),
        tiles=_tiles(record),
        steps=_steps(record),
        questions=record.questions[:WHOLE_QUESTIONS],
        summaries=tuple(_summary(question) for question in record.questions[WHOLE_QUESTIONS:]),
        newest=record.entries[:NEWEST_ENTRIES],
        months=tuple((month, len(found)) for month, found in by_month(record).items()),
        targets=record.targets,
        settings=setting_names(history),
        reviewers=record.reviewers,
        kernels=tuple(sorted({task for task, _ in bench_runs(history)})),
        imported=len(history.pages) + len(history.references),
        alone=tuple(entry for entry in record.entries if entry.run and entry.about is None),
    )


def by_month(record: Record) -> dict[str, tuple[DatedEntry, ...]]:
    """Dated entries by month of their entry, newest first."""
    found = grouped(record.entries, lambda entry: entry.time[:7])
    return {month: found[month] for month in sorted(found, reverse=True)}


def _tiles(record: Record) -> tuple[Tile, ...]:
    lines = [line for _, line in record.lines]

    def count(*states: State) -> int:
        return sum(line.state in states for line in lines)

    undecided = sum(
        line.state is State.MEASURED and line.verdict is not None and line.verdict.speed == "AMBIGUOUS"
        for line in lines
    )
    opened = count(State.REOPENED, State.OVERTURNED)
    return (
        Tile(count(State.ACCEPTED), Phrase("tile_in_force"), "good"),
        Tile(count(State.WAITING), Phrase("tile_waiting"), ""),
        Tile(opened, Phrase("tile_open_again"), "bad" if opened else ""),
        Tile(undecided, Phrase("tile_undecided"), ""),
        Tile(count(State.UNMEASURED), Phrase("tile_unmeasured"), ""),
        Tile(count(State.INVALID, State.VOID), Phrase("tile_no_number"), ""),
    )


def _steps(record: Record) -> tuple[Step, ...]:
    """What is most worth doing: production that waits, what is open again, gains to accept, then the rest."""
    order = (State.WAITING, State.REOPENED, State.OVERTURNED, State.MEASURED, State.UNMEASURED)
    found = [Step(question, line) for question, line in record.lines if _to_do(line) and line.state in order]
    found.sort(key=lambda step: (order.index(step.line.state), _not_faster(step.line)))
    return tuple(found[:NEXT_STEPS])


def _to_do(line: Line) -> bool:
    """Whether there is something to do: a command, or in its place what only a person does."""
    return bool(line.next.command) or (line.run is not None and line.next == by_hand(line.run.begun.payload))


def _not_faster(line: Line) -> bool:
    return line.verdict is None or line.verdict.speed != "FASTER"


def _summary(question: Question) -> Summary:
    found = grouped(question.lines, lambda line: line.state)
    return Summary(question, tuple((state, len(found[state])) for state in State if state in found))
