"""Which acceptance a person means: an entry's number or id, a proposal's newest, or the one in force on a target.

A target or a proposal that is there and has no acceptance is a negative answer; a name that names nothing is none.
"""

from dataclasses import dataclass

from committee.workspace import Workspace, is_path
from harness.vocabulary.base import BadFileError
from ledger.entries import Acceptance
from ledger.in_force import Decided, course_of
from ledger.store import Ledger, LedgerError


@dataclass(frozen=True)
class NoneAccepted:
    """What was named is there, and nothing of it was accepted or is in force; the sentence says which."""

    sentence: str


def acceptance_named(workspace: Workspace, ledger: Ledger, text: str) -> Decided | NoneAccepted:
    """The one acceptance, or that there is none yet. Raises BadFileError with what there is."""
    if _is_target(workspace, text):
        found = course_of(ledger, text).now
        if found is None:
            return NoneAccepted(f"nothing accepted is in force on {text!r}; accept an arm first")
        return found
    try:
        proposal = workspace.proposal_folder(text).name
    except BadFileError:
        if is_path(text):
            raise
        return _entry(ledger, text)
    accepted = ledger.of(Acceptance)
    own = [one for one in accepted if one[1].proposal == proposal]
    if own:
        return own[-1]
    if any(str(entry.seq) == text for entry, _ in accepted):  # 7 is acceptance #7 where proposal 0007 has none
        return _entry(ledger, text)
    return NoneAccepted(
        f"no arm of {proposal!r} was accepted; `committee accept {proposal} ARM --reason WORDS` does that"
    )


def _entry(ledger: Ledger, text: str) -> Decided:
    try:
        entry = ledger.find(text.removeprefix("#"))
    except LedgerError:
        entry = None
    if entry is not None and isinstance(entry.payload, Acceptance):
        return entry, entry.payload
    known = ", ".join(f"#{one.seq} ({made.arm_name} for {made.target})" for one, made in ledger.of(Acceptance)[-5:])
    raise BadFileError(
        f"{text!r} names no acceptance, no proposal and no target; accepted is: {known or 'nothing yet'}"
    )


def _is_target(workspace: Workspace, text: str) -> bool:
    return not is_path(text) and (workspace.folder / "targets" / f"{text}.toml").is_file()
