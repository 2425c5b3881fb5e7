"""The words of an acceptance: what a person must say, and the message of the commit. Pure."""

import re
import textwrap
from collections.abc import Sequence

from committee.accept.earlier import EarlierRun
from ledger.anchor import HEAD_LINE, Pin, Root
from ledger.entries import Acceptance, Rollback
from ledger.store import Entry, Head

HEAD_TRAILER = HEAD_LINE
MAX_REASON = 2000  # a decision is explained in a few sentences; more belongs into the proposal
MAX_PERSON = 100
WIDTH = 100


def complaints_about(reason: str, person: str) -> tuple[str, ...]:
    """What is wrong with the person's own words, one sentence each; empty means nothing."""
    said: list[str] = []
    if not reason.strip():
        said.append("an acceptance needs a reason in your own words; give --reason TEXT")
    if len(reason) > MAX_REASON:
        said.append(f"the reason is longer than {MAX_REASON} characters; shorten it")
    if not person.strip() or len(person) > MAX_PERSON or re.search(r"[\x00-\x1f\x7f<>]", person):
        said.append(f"the person must be a name on one line, at most {MAX_PERSON} characters, without < and >")
    return tuple(said)


def head_trailer(entry: Entry) -> str:
    """The trailer that pins the ledger's head: sequence number and id."""
    return f"{HEAD_TRAILER}: {entry.seq} {entry.id}"


def commit_message(
    acceptance: Acceptance, entry: Entry, earlier: Sequence[EarlierRun], ticket: str = "", root: Root | None = None
) -> str:
    """Subject, the reason as it was given, what earlier runs said, and trailers that bind the commit to its evidence.

    The reason is indented and is not the last paragraph, so that it cannot pass for a trailer.
    """
    trailers = [
        f"Proposal: {acceptance.proposal}@{acceptance.tree}",
        f"Arm: {acceptance.arm_name} {acceptance.arm}",
        *(f"Verdict: {verdict}" for verdict in acceptance.verdicts),
        *(f"Earlier-Run: {one.run}" for one in earlier),
        *([f"Ticket: {ticket}"] if ticket else []),
        *Pin(Head(entry.seq, entry.id), root).text().splitlines(),
    ]
    count = "1 earlier run" if len(earlier) == 1 else f"{len(earlier)} earlier runs"
    said = f"It rests on {acceptance.run}, after {count} of this arm"
    rests = textwrap.fill(f"{said}{': ' if earlier else ''}{'; '.join(one.sentence for one in earlier)}.", WIDTH)
    subject = f"Accept {acceptance.arm_name} for {acceptance.target}"
    return (
        f"{subject}\n\n{acceptance.person} decided:\n\n{indented(acceptance.reason)}\n\n{rests}\n\n"
        + "\n".join(trailers)
        + "\n"
    )


def rollback_message(rollback: Rollback, entry: Entry, back_to: str, root: Root | None = None) -> str:
    """The same for going back: `back_to` is what is in force now."""
    trailers = [f"Rolls-Back: {rollback.leaves}", *Pin(Head(entry.seq, entry.id), root).text().splitlines()]
    subject = f"Roll {rollback.target} back to {back_to}"
    said = f"{rollback.person} decided:\n\n{indented(rollback.reason)}"
    return f"{subject}\n\n{said}\n\nThe acceptance it leaves stays on record.\n\n" + "\n".join(trailers) + "\n"


def indented(reason: str) -> str:
    """A person's words, wrapped and indented."""
    return "\n".join(
        textwrap.fill(" ".join(line.split()), WIDTH, initial_indent="    ", subsequent_indent="    ")
        for line in reason.splitlines()
        if line.strip()
    )
