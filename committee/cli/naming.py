"""What a person means by the beginning of an id: one run or entry, or a sentence that names the candidates."""

from collections.abc import Iterable

from harness.vocabulary.base import BadFileError
from ledger.entries import KernelRun, MeasuringRun, ReviewRun
from ledger.errors import LedgerError, NoSuchError
from ledger.store import Entry, Ledger

LISTED = 5  # candidates in one sentence, newest last
KINDS = ("review", "measure")  # with which ids of runs begin
KERNEL = "kernel"  # those of the kernel bench


def review_run_named(ledger: Ledger, text: str) -> str:
    """The one review run whose id begins so; `review-` may be left away. Raises BadFileError with the candidates."""
    return _one("review run", [run.run for _, run in ledger.of(ReviewRun, round="first")], text, KINDS[0])


def measuring_run_named(ledger: Ledger, text: str, hint: str = "") -> str:
    """The one measuring run whose id begins so, also without `measure-`. Raises BadFileError with the candidates.

    `hint` is what else could be done where there is none.
    """
    return _one("measuring run", [run.run for _, run in ledger.of(MeasuringRun)], text, KINDS[1], hint)


def entry_named(ledger: Ledger, text: str) -> Entry:
    """The entry with this number or beginning of an id, or with which the run of that name begins.

    Raises BadFileError for a run, LedgerError for an entry, each with what there is.
    """
    if text.startswith(KINDS[0]):
        return ledger.of(ReviewRun, run=review_run_named(ledger, text))[0][0]
    if text.startswith(KINDS[1]):
        return ledger.of(MeasuringRun, run=measuring_run_named(ledger, text))[0][0]
    if text.startswith(KERNEL):
        return ledger.of(KernelRun, run=_one("run", [run.run for _, run in ledger.of(KernelRun)], text, KERNEL))[0][0]
    try:
        return ledger.find(text)
    except LedgerError as error:
        bare = text.strip().removeprefix("#").lower()
        found = [entry for entry in ledger.entries() if bare and entry.id.startswith(bare)]
        if len(found) > 1:
            said = _listed(f"{entry.id[:12]} ({entry.kind}, {entry.seq})" for entry in found)
            raise NoSuchError(f"several entries begin with {text!r}: {said}; give more digits") from error
        head = ledger.head()
        there = f"there are entries 1 to {head.seq}" if head else "the ledger is empty"
        raise NoSuchError(f"{error}; {there}") from error


def _one(what: str, known: list[str], text: str, head: str, hint: str = "") -> str:
    """The exact id, else the only one that begins so."""
    if text in known:
        return text
    whole = text if text.startswith(head) else f"{head}-{text}"
    found = [run for run in known if text and run.startswith(whole)]
    if len(found) == 1:
        return found[0]
    if found:
        raise BadFileError(f"several {what}s begin with {text!r}: {_listed(found)}; give more of one")
    said = f"there is: {_listed(known)}" if known else "there is none yet"
    raise BadFileError(f"there is no {what} {text!r} (`committee log` shows them); {said}{hint}")


def _listed(words: Iterable[str]) -> str:
    """The newest few, and how many more there are."""
    every = list(words)
    more = f"{len(every) - LISTED} older ones, " if len(every) > LISTED else ""
    return more + ", ".join(every[-LISTED:])
