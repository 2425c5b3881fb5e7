"""Going back to the acceptance before the one in force: the decision, its overlay as git kept it, and one commit.

The decision is on record first, so that a rollback that was interrupted is taken up where it stands and never goes back
a step further. One that leaves an acceptance which was never committed finds its baseline in git already: a note keeps
its pin there. Putting the baseline on the target is `deploying`'s, under the same gates.
"""

from dataclasses import dataclass
from pathlib import Path

from git import GitCommandError, Repo

from committee.accept.as_of import settings_of
from committee.accept.baseline import as_toml, overlay_path, put
from committee.accept.laid_over import target_with
from committee.accept.message import complaints_about, rollback_message
from committee.accept.pins import keep_in_note, pinned_heads
from committee.accept.signature import commit_of
from committee.accept.unfinished import DECIDING, decided_by_another, put_back
from committee.holding import held_alone
from committee.repository import commit_only, committed_text, obstacles, open_repository, words_of
from committee.workspace import Workspace
from harness.vocabulary.base import BadFileError
from harness.vocabulary.target import Target
from ledger.anchor import Pin, Root, root_over
from ledger.entries import Acceptance, Deployment, Rollback
from ledger.in_force import Decided, course_of
from ledger.store import Entry, Head, Ledger


@dataclass(frozen=True)
class Kept:
    """A rollback on record, and how git keeps it."""

    rollback: Rollback
    committed: bool  # else in a note: what it leaves was never committed, so that nothing changes in git

    @property
    def words(self) -> str:
        """How it is kept."""
        if self.committed:
            return "decided and committed"
        return "decided; git holds that baseline already, so a note on its commit keeps the decision"


@dataclass(frozen=True)
class Step:
    """One step back."""

    target: str
    leaves: Decided
    back_to: Decided | None  # none: the baseline that a person wrote
    begun: tuple[Entry, Rollback] | None  # an earlier decision of this very step that is not carried out yet

    @property
    def words(self) -> str:
        """What it goes back to."""
        if self.back_to is None:
            return "the baseline that a person wrote"
        return f"{self.back_to[1].arm_name} (acceptance #{self.back_to[0].seq})"


def next_step(ledger: Ledger, target: str) -> Step | str:
    """The step that a rollback would take now, or one sentence why there is none."""
    begun = _unfinished(ledger, target)
    if begun is not None:
        decided = {entry.id: (entry, made) for entry, made in ledger.of(Acceptance, target=target)}
        back_to = begun[1].back_to
        return Step(target, decided[begun[1].leaves], decided[back_to] if back_to else None, begun)
    course = course_of(ledger, target)
    if course.now is None:
        return f"nothing accepted is in force on {target!r}, so there is nothing to go back from"
    return Step(target, course.now, course.before(course.now[0].seq), None)


def target_after(workspace: Workspace, ledger: Ledger, step: Step) -> Target:
    """The target as its files will read after the step. Raises BadFileError."""
    repo = open_repository(workspace.folder)
    if isinstance(repo, str):
        raise BadFileError(repo)
    with repo:
        overlay = _overlay_before(workspace, ledger, repo, step)
    return target_with(workspace, step.target, overlay)[0]


def complaints(reason: str, person: str) -> tuple[str, ...]:
    """What is wrong with the person's own words, one sentence each; empty means nothing."""
    return tuple(one.replace("an acceptance needs", "a rollback needs") for one in complaints_about(reason, person))


def roll_back(workspace: Workspace, ledger: Ledger, step: Step, reason: str, person: str) -> Kept | tuple[str, ...]:
    """The decision as recorded and kept in git, or what is in the way, one sentence each. Raises BadFileError."""
    repo = open_repository(workspace.folder)
    if isinstance(repo, str):
        return (repo,)
    overlay = overlay_path(workspace.folder / "targets", step.target)
    with repo, held_alone(workspace.scratch, DECIDING) as holder:
        if holder:
            return (decided_by_another(holder),)
        if stops := obstacles(repo, (overlay,)):
            return stops
        if next_step(ledger, step.target) != step:
            return (
                f"something else was decided on {step.target!r} meanwhile; see `committee log`, then roll back again",
            )
        text = _overlay_before(workspace, ledger, repo, step)
        recorded = step.begun or _decided(ledger, step, reason, person)
        if committed_text(repo, overlay) == (text.rstrip("\n") if text else None):
            put_back(repo, overlay, text.encode() if text is not None else None)
            return _keep(workspace, ledger, repo, recorded)
        return _commit(ledger, repo, overlay, text, recorded, step)


def _decided(ledger: Ledger, step: Step, reason: str, person: str) -> tuple[Entry, Rollback]:
    made = Rollback(
        target=step.target,
        leaves=step.leaves[0].id,
        back_to=step.back_to[0].id if step.back_to else None,
        reason=reason.strip(),
        person=person.strip(),
    )
    return ledger.append(made), made


def _overlay_before(workspace: Workspace, ledger: Ledger, repo: Repo, step: Step) -> str | None:
    """The overlay as it was committed with the acceptance gone back to; rebuilt from the ledger where git lacks it."""
    if step.back_to is None:
        return None
    entry, acceptance = step.back_to
    name = overlay_path(workspace.folder / "targets", step.target)
    commit = commit_of(repo, entry)
    if commit is not None:
        kept = committed_text(repo, name, commit)
        if kept is not None:
            return f"{kept}\n"
    target = Target.from_toml(name.with_name(f"{step.target}.toml"))
    settings = settings_of(ledger, target, course_of(ledger, step.target), step.back_to)
    return as_toml(settings, acceptance) if settings else None


def _commit(
    ledger: Ledger, repo: Repo, overlay: Path, text: str | None, recorded: tuple[Entry, Rollback], step: Step
) -> Kept | tuple[str, ...]:
    """Overlay and commit; on failure both are as before and the sentence says how to finish."""
    entry, rollback = recorded
    before = overlay.read_bytes() if overlay.exists() else None
    message = rollback_message(rollback, entry, step.words, Root(entry.seq, root_over(ledger, entry.seq)))
    try:
        put(overlay, text.encode() if text is not None else None)
        commit_only(repo, (overlay,), message, rollback.person)
    except (GitCommandError, OSError) as error:
        put(overlay, before)
        words = words_of(error) if isinstance(error, GitCommandError) else str(error)
        return (
            f"the rollback is on record (entry {entry.seq}), but its commit failed: {words}; "
            "mend that and roll back again, which goes on with this one",
        )
    return Kept(rollback, committed=True)


def _keep(workspace: Workspace, ledger: Ledger, repo: Repo, recorded: tuple[Entry, Rollback]) -> Kept | tuple[str, ...]:
    """Git holds that baseline: by a commit of this very decision, or because what it leaves was never committed."""
    entry, rollback = recorded
    if commit_of(repo, entry) is not None:
        return Kept(rollback, committed=True)  # made before an interruption
    pin = Pin(Head(entry.seq, entry.id), Root(entry.seq, root_over(ledger, entry.seq)))
    if pin.head not in pinned_heads(workspace.folder):
        try:
            keep_in_note(repo, pin, rollback.person)
        except GitCommandError as error:
            return (
                f"the rollback is on record (entry {entry.seq}), but its note failed: {words_of(error)}; "
                "mend that and roll back again, which goes on with this one",
            )
    return Kept(rollback, committed=False)


def _unfinished(ledger: Ledger, target: str) -> tuple[Entry, Rollback] | None:
    """The newest rollback, if neither a deployment succeeded nor anything was accepted since."""
    newest = ledger.of(Rollback, target=target)[-1:]
    if not newest:
        return None
    seq = newest[0][0].seq
    done = any(one.outcome == "deployed" for entry, one in ledger.of(Deployment, target=target) if entry.seq > seq)
    later = any(entry.seq > seq for entry, _ in ledger.of(Acceptance, target=target))
    return None if done or later else newest[0]
