"""Accepting an arm: the decision into the ledger, the new baseline into the workspace, both pinned in one commit.

Order: everything that can be refused is checked first, git's state included. Then the acceptance is appended, but only
if nothing was recorded since the evidence was looked at: a commit must name the ledger's head that holds it, and a
commit made first could only name the head before. Then its ticket (`ticket.py`) is appended, which takes as long as
reading the model does, and only then the overlay is written and committed. If that does not end in a commit, overlay
and index are put back as they were (after a kill by the next `accept`), the acceptance stays on record (nothing
recorded is removed), and the next `accept` of the same arm finds it, looks at the evidence again, and makes the commit
only, unless a rollback took it back meanwhile. An acceptance counts as committed while HEAD holds its overlay: one
whose commit was taken back in git is history, and the same arm is decided anew.
"""

from dataclasses import dataclass
from pathlib import Path

from git import GitCommandError, Repo

from committee.accept.baseline import as_toml, merged, overlay_path, read_overlay, write_overlay
from committee.accept.evidence import Evidence, Subject, evidence, subject
from committee.accept.message import commit_message, complaints_about
from committee.accept.signature import commit_of
from committee.accept.ticket import issue
from committee.accept.unfinished import (
    DECIDING,
    decided_by_another,
    head_named,
    open_decision,
    put_back,
    put_committed_back,
    put_interrupted_back,
)
from committee.holding import held_alone
from committee.repository import commit_only, obstacles, open_repository, words_of
from committee.workspace import Workspace
from harness.vocabulary.base import BadFileError
from ledger.anchor import Root, root_over
from ledger.canonical import digest
from ledger.entries import Acceptance
from ledger.in_force import Decided, course_of
from ledger.store import Entry, Ledger, LedgerError

TRIES = 5  # looks at the evidence; whoever records something during each of them is measuring, and will end


@dataclass(frozen=True)
class Case:
    """What is decided on, and where it is kept."""

    workspace: Workspace
    ledger: Ledger
    repo: Repo
    found: Subject

    @property
    def overlay(self) -> Path:
        """The new baseline's file."""
        return overlay_path(self.workspace.folder / "targets", self.found.target)

    @property
    def paths(self) -> tuple[Path, ...]:
        """What the commit concerns: the new baseline and the proposal with its criteria."""
        return self.overlay, self.found.proposal.folder


@dataclass(frozen=True)
class Decision:
    """An acceptance on record and what it rests on."""

    decided: Decided
    support: Evidence


def accept(
    workspace: Workspace, ledger: Ledger, proposal: str, arm: str, reason: str, person: str
) -> Acceptance | tuple[str, ...]:
    """The acceptance as recorded and committed, or what is missing, one sentence each. Raises BadFileError."""
    said = complaints_about(reason, person)
    if said:
        return said
    found = subject(workspace, ledger, proposal, arm)
    if isinstance(found, tuple):
        return found
    repo = open_repository(workspace.folder)
    if isinstance(repo, str):
        return (repo,)
    with repo, held_alone(workspace.scratch, DECIDING) as holder:
        if holder:
            return (decided_by_another(holder),)
        case = Case(workspace, ledger, repo, found)
        return obstacles(repo, case.paths) or _accept(case, reason, person)


def _accept(case: Case, reason: str, person: str) -> Acceptance | tuple[str, ...]:
    """With nothing in git's way: decide on the evidence as it is at one moment, then commit."""
    for _ in range(TRIES):
        outcome = _decide(case, reason, person)
        if isinstance(outcome, Decision):
            return _commit(case, outcome)
        if outcome is not None:
            return outcome
    return (
        f"something was recorded each of the {TRIES} times that the evidence was looked at, so nothing is decided; "
        "accept again when what runs now has ended (`harness status`)",
    )


def _decide(case: Case, reason: str, person: str) -> Decision | tuple[str, ...] | None:
    """An acceptance that lacks its commit, or a new one; none where something was recorded in the meantime."""
    ledger, repo, found = case.ledger, case.repo, case.found
    head = ledger.head()
    if stops := open_decision(ledger, repo, case.overlay, found.target, found.arm.fingerprint):
        return (stops,)
    earlier = _in_force_of_this_change(ledger, found)
    if earlier is not None and head_named(repo, case.overlay) == earlier[0].id:
        said = put_committed_back(repo, case.overlay)
        return (f"{found.arm.name!r} is accepted for {found.target!r} already (entry {earlier[0].seq}){said}",)
    put_interrupted_back(ledger, repo, case.overlay, found.target)
    support = evidence(case.workspace, ledger, found)
    if isinstance(support, tuple):
        return support
    if earlier is not None and earlier[1].run == support.run.run and commit_of(repo, earlier[0]) is None:
        return Decision(earlier, support)
    made = _acceptance(ledger, found, support, reason, person)
    entries = ledger.append_after(head.seq if head else 0, (made,))
    return Decision((entries[0], made), support) if entries else None


def _acceptance(ledger: Ledger, found: Subject, support: Evidence, reason: str, person: str) -> Acceptance:
    earlier = ledger.of(Acceptance, target=found.target)
    return Acceptance(
        proposal=found.proposal.header.id,
        tree=found.revision.tree,
        target=found.target,
        arm=found.arm.fingerprint,
        arm_name=found.arm.name,
        run=support.run.run,
        verdicts=tuple(entry.id for entry in support.verdicts),
        criteria_sha256=digest(support.run.criteria),
        person=person.strip(),
        reason=reason.strip(),
        earlier=tuple(one.sentence for one in support.earlier),
        supersedes=earlier[-1][0].id if earlier else None,
    )


def _in_force_of_this_change(ledger: Ledger, found: Subject) -> Decided | None:
    """What is in force on the target by the record, if it is of this very revision and change."""
    now = course_of(ledger, found.target).now
    wanted = (found.proposal.header.id, found.revision.tree, found.arm.fingerprint)
    return now if now and (now[1].proposal, now[1].tree, now[1].arm) == wanted else None


def _commit(case: Case, decision: Decision) -> Acceptance | tuple[str, ...]:
    """Ticket, overlay and commit; on failure the sentence says how to finish."""
    entry, acceptance = decision.decided
    try:
        _ticket_and_commit(case, decision)
    except (GitCommandError, BadFileError, LedgerError, OSError) as error:
        words = words_of(error) if isinstance(error, GitCommandError) else str(error)
        return (
            f"the acceptance is on record (entry {entry.seq}), but its commit failed: {words}; "
            "mend that and accept the same arm again, which makes the commit only",
        )
    return acceptance


def _ticket_and_commit(case: Case, decision: Decision) -> None:
    """However it ends without a commit, Ctrl-C included, the overlay is as before and nothing of it is staged."""
    found, (entry, acceptance) = case.found, decision.decided
    target, _ = case.workspace.target(found.target)
    accepted = merged(target, read_overlay(case.overlay), found.arm, entry, acceptance)
    ticket = issue(case.workspace, case.ledger, decision.decided, as_toml(accepted, acceptance))
    root = Root(entry.seq, root_over(case.ledger, entry.seq))
    message = commit_message(acceptance, entry, decision.support.earlier, ticket.sha256, root)
    before = case.overlay.read_bytes() if case.overlay.exists() else None
    try:
        write_overlay(case.overlay, accepted, acceptance)
        commit_only(case.repo, case.paths, message, acceptance.person)
    except BaseException:
        if not _is_committed(case, entry):
            put_back(case.repo, case.overlay, before, case.paths)
        raise


def _is_committed(case: Case, entry: Entry) -> bool:
    """Whether HEAD's overlay names this acceptance, after a commit that was interrupted."""
    try:
        return head_named(case.repo, case.overlay) == entry.id
    except BadFileError:
        return False
