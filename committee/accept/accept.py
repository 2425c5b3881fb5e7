"""Accepting an arm: the decision into the ledger, the new baseline into the workspace, both pinned in one commit.

Order: everything that can be refused is checked first, git's state included. Then the acceptance is appended, because a
commit must name the ledger's head that holds it; a commit made first could only name the head before. Then the overlay
is written, its ticket (`ticket.py`) appended, and both are committed. If git refuses at that last step, overlay and
index are put back as they were, the acceptance stays on record (nothing recorded is removed), and the next `accept` of
the same arm finds it, looks at the evidence again, and makes the commit only. An acceptance counts as committed while
HEAD holds its overlay: one whose commit was taken back in git is history, and the same arm is decided anew.
"""

from pathlib import Path

from git import GitCommandError, Repo

from committee.accept.baseline import accepted_head, merged, overlay_path, read_overlay, write_overlay
from committee.accept.evidence import Evidence, Subject, evidence, subject
from committee.accept.message import commit_message, complaints_about, head_trailer
from committee.accept.ticket import issue
from committee.repository import commit_only, committed_text, obstacles, open_repository, words_of
from committee.workspace import Workspace
from harness.vocabulary.base import BadFileError
from ledger.anchor import Root, root_over
from ledger.canonical import digest
from ledger.entries import Acceptance
from ledger.store import Entry, Ledger


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
    with repo:
        return obstacles(repo, _paths(workspace, found)) or _accept(workspace, ledger, repo, found, (reason, person))


def _accept(
    workspace: Workspace, ledger: Ledger, repo: Repo, found: Subject, words: tuple[str, str]
) -> Acceptance | tuple[str, ...]:
    """With nothing in git's way: finish an acceptance that lacks its commit, or decide on the evidence."""
    earlier = _newest_of_this_change(ledger, found)
    if earlier is not None and _is_in_force(workspace, repo, found, earlier[0]):
        return (f"{found.arm.name!r} is accepted for {found.target!r} already (entry {earlier[0].seq})",)
    support = evidence(workspace, ledger, found)
    if isinstance(support, tuple):
        return support
    if earlier is not None and earlier[1].run == support.run.run and not _was_committed(repo, earlier[0]):
        return _commit(workspace, repo, found, support, *earlier)
    acceptance = _decide(ledger, found, support, *words)
    return _commit(workspace, repo, found, support, ledger.append(acceptance), acceptance)


def _decide(ledger: Ledger, found: Subject, support: Evidence, reason: str, person: str) -> Acceptance:
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


def _newest_of_this_change(ledger: Ledger, found: Subject) -> tuple[Entry, Acceptance] | None:
    """The target's newest acceptance, if it is of this very revision and change."""
    wanted = (found.proposal.header.id, found.revision.tree, found.arm.fingerprint)
    for entry, acceptance in ledger.of(Acceptance, target=found.target)[-1:]:
        if (acceptance.proposal, acceptance.tree, acceptance.arm) == wanted:
            return entry, acceptance
    return None


def _is_in_force(workspace: Workspace, repo: Repo, found: Subject, entry: Entry) -> bool:
    """Whether the overlay as committed at HEAD is this acceptance's."""
    overlay = overlay_path(workspace.folder / "targets", found.target)
    committed = committed_text(repo, overlay)
    return committed is not None and accepted_head(committed) == entry.id


def _was_committed(repo: Repo, entry: Entry) -> bool:
    """Whether any commit ever pinned it, also one that was taken back since."""
    return bool(repo.git.log("--fixed-strings", f"--grep={head_trailer(entry)}", "--format=%H", "-1").strip())


def _commit(
    workspace: Workspace, repo: Repo, found: Subject, support: Evidence, entry: Entry, acceptance: Acceptance
) -> Acceptance | tuple[str, ...]:
    """Overlay and commit; on failure both are as before and the sentence says how to finish."""
    overlay = overlay_path(workspace.folder / "targets", found.target)
    before = overlay.read_bytes() if overlay.exists() else None
    target, _ = workspace.target(found.target)
    with workspace.ledger() as ledger:
        root = Root(entry.seq, root_over(ledger, entry.seq))
    try:
        write_overlay(overlay, merged(target, read_overlay(overlay), found.arm, entry, acceptance), acceptance)
        with workspace.ledger() as ledger:
            ticket = issue(workspace, ledger, (entry, acceptance))
        message = commit_message(acceptance, entry, support.earlier, ticket.sha256, root)
        commit_only(repo, _paths(workspace, found), message, acceptance.person)
    except (GitCommandError, BadFileError, OSError) as error:
        if before is None:
            overlay.unlink(missing_ok=True)
        else:
            overlay.write_bytes(before)
        words = words_of(error) if isinstance(error, GitCommandError) else str(error)
        return (
            f"the acceptance is on record (entry {entry.seq}), but its commit failed: {words}; "
            "mend that and accept the same arm again, which makes the commit only",
        )
    return acceptance


def _paths(workspace: Workspace, found: Subject) -> tuple[Path, ...]:
    """What the commit concerns: the new baseline and the proposal with its criteria."""
    return overlay_path(workspace.folder / "targets", found.target), found.proposal.folder
