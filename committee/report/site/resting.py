"""Pure: what rests on what: conclusions that are open again, the marks that opened them, and facts that runs share."""

from collections.abc import Iterable
from dataclasses import dataclass

from committee.report.doubts import Doubtful, mark_words
from committee.report.history import History, Stamped, grouped
from committee.report.phrases import Phrase
from committee.report.plot_rows import number_words
from committee.report.site.record import Record
from committee.report.words import metric_words
from ledger.entries import Acceptance, Brief, Invalidation, KernelVerdict, NotApplied, Supersession, Verdict

Conclusion = Verdict | Acceptance | NotApplied | Brief | KernelVerdict


@dataclass(frozen=True)
class Opened:
    """One conclusion that does not stand any more."""

    seq: int
    time: str
    words: Phrase
    doubts: tuple[Doubtful, ...]
    run: str  # the measuring run it comes from, empty for a brief
    proposal: str
    command: str  # what measures or decides it anew


@dataclass(frozen=True)
class Marked:
    """A person's mark and how much it opened."""

    seq: int
    id: str
    time: str
    words: Phrase
    opened: int
    taken_back: bool  # it opens nothing, because a later mark struck it or nothing rests on what it names


@dataclass(frozen=True)
class Shared:
    """A fact that several runs were made with."""

    fact: str
    runs: int


@dataclass(frozen=True)
class Accepted:
    """An acceptance and what it rests on."""

    item: Stamped[Acceptance]
    verdicts: int
    launches: int


@dataclass(frozen=True)
class RestsPage:
    """What rests on what."""

    opened: tuple[Opened, ...]  # newest first
    marks: tuple[Marked, ...]  # newest first
    facts: tuple[Shared, ...]
    accepted: tuple[Accepted, ...]  # newest first


def rests_page(record: Record) -> RestsPage:
    """Of everything on record."""
    history = record.history
    opened = sorted(_opened(history), key=lambda one: one.seq, reverse=True)
    counts: dict[int, int] = {}
    for one in opened:
        for doubt in one.doubts:
            counts[doubt.mark_seq] = counts.get(doubt.mark_seq, 0) + 1
    marks = sorted(history.marks, key=lambda item: item.seq, reverse=True)
    return RestsPage(
        opened=tuple(opened),
        marks=tuple(_marked(item, counts.get(item.seq, 0)) for item in marks),
        facts=tuple(_facts(history)),
        accepted=tuple(_accepted(history, item) for item in reversed(history.acceptances)),
    )


def _opened(history: History) -> Iterable[Opened]:
    proposals = {item.payload.run: item.payload.proposal or "" for item in history.runs}
    found: list[
        Stamped[Verdict] | Stamped[Acceptance] | Stamped[NotApplied] | Stamped[Brief] | Stamped[KernelVerdict]
    ] = [
        *history.verdicts, *history.acceptances, *history.not_applied, *history.briefs, *history.kernel_verdicts,
    ]  # fmt: skip
    for item in found:
        doubts = history.doubts.get(item.id)
        if not doubts or (isinstance(item.payload, Verdict) and not item.payload.primary):
            continue
        run = "" if isinstance(item.payload, Brief | KernelVerdict) else item.payload.run
        proposal = item.payload.proposal if isinstance(item.payload, Brief) else proposals.get(run, "")
        yield Opened(item.seq, item.time, _words(item.payload), doubts, run, proposal, _command(item.payload, proposal))


def _words(payload: Conclusion) -> Phrase:
    if isinstance(payload, Verdict):
        metric = metric_words(payload.metric, payload.load)
        return Phrase("opened_verdict", arm=payload.arm_name, metric=metric, words=number_words(payload))
    if isinstance(payload, Acceptance):
        return Phrase("accepted_for", arm=payload.arm_name, target=payload.target)
    if isinstance(payload, NotApplied):
        return Phrase("not_applied_title", arm=payload.arm_name, target=payload.target)
    if isinstance(payload, KernelVerdict):
        return Phrase("opened_kernel", arm=payload.arm_name, task=payload.task)
    return Phrase("opened_brief", proposal=payload.proposal)


def _command(payload: Conclusion, proposal: str) -> str:
    if isinstance(payload, Brief):
        return f"committee review {proposal}"
    if isinstance(payload, KernelVerdict):
        return f"harness kernel compare {payload.task}"
    return f"committee measure {proposal} --arm {payload.arm_name}" if proposal else ""


def _marked(item: Stamped[Invalidation] | Stamped[Supersession], opened: int) -> Marked:
    return Marked(item.seq, item.id, item.time, mark_words(item.payload), opened, taken_back=not opened)


def _facts(history: History) -> Iterable[Shared]:
    named = {
        "harness_version": grouped(history.runs, lambda item: item.payload.harness_version),
        "target_sha256": grouped(history.runs, lambda item: item.payload.target_sha256),
    }
    for name, values in named.items():
        for value, runs in values.items():
            yield Shared(f"{name}={value}", len(runs))


def _accepted(history: History, item: Stamped[Acceptance]) -> Accepted:
    rested = [one.payload for one in history.verdicts_of(item.payload.run) if one.id in item.payload.verdicts]
    return Accepted(item, len(rested), len({trial for verdict in rested for trial in verdict.trials}))
