"""What an acceptance rests on: the newest completed run of the very same revision, target and arm. Only reads.

Whoever measures until it comes out FASTER will see it come out: each further run is another chance of `level` to be
wrong. So where the arm did not meet the criteria in another completed run of the same question, of whatever revision or
proposal (`earlier.py`), a run supports an acceptance only if its verdict stands on at least as many blocks as those of
all the others together; the question is then settled by stronger evidence, not by another draw. Each try must double
everything before it: five tries cost sixteen times the first one, and bring a level of 0.01 to at most 0.05. Runs that
were void or stopped gave no answer; they are named in the commit, and weigh nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from committee.accept.earlier import Begun, EarlierRun, blocks_behind, earlier_runs, not_outweighed
from committee.accept.on_bench import only_on_bench
from committee.proposals.folder import load
from committee.proposals.revision import freeze
from committee.vocabulary.proposal import FrozenRevision, LoadedProposal
from committee.workspace import Workspace
from harness.verdicts.acceptance import criteria_missing, fewer_blocks
from harness.vocabulary.arm import Arm
from harness.vocabulary.criteria import Criteria
from harness.workflow.admitted import arm_in
from ledger.entries import Arm as ArmEntry
from ledger.entries import Gate, Launch, MeasuringRun, RunEnd, Verdict
from ledger.standing import doubts
from ledger.store import Entry, Ledger

SHORTEST_PREFIX = 6  # digits of a fingerprint; arms of one proposal are few


@dataclass(frozen=True)
class Subject:
    """What is to be accepted: the proposal as it lies there now, and one of its arms."""

    proposal: LoadedProposal
    revision: FrozenRevision
    arm: Arm

    @property
    def target(self) -> str:
        """The target's name."""
        return self.proposal.header.target


@dataclass(frozen=True)
class Evidence:
    """Enough to accept."""

    run: MeasuringRun
    verdicts: tuple[Entry, ...]  # the arm's verdicts in that run
    earlier: tuple[EarlierRun, ...] = ()  # every other run of the same question, oldest first


def subject(workspace: Workspace, ledger: Ledger, proposal: str, arm: str) -> Subject | tuple[str, ...]:
    """The proposal and the arm that a person named, by name or beginning of its fingerprint. Raises BadFileError."""
    folder = workspace.proposal_folder(proposal)
    loaded, revision = load(folder), freeze(folder)
    known = {
        entry.fingerprint: arm_in(entry)
        for _, entry in ledger.of(ArmEntry, proposal=loaded.header.id, target=loaded.header.target)
    }
    by_print = len(arm) >= SHORTEST_PREFIX
    found = [
        one
        for fingerprint, one in known.items()
        if one.name == arm or (by_print and fingerprint.startswith(arm.lower()))
    ]
    if len(found) > 1:  # an earlier revision may have had another change under this name
        found = [one for one in found if one.fingerprint in _measured(ledger, revision)] or found
    if len(found) == 1:
        return Subject(loaded, revision, found[0])
    if found:
        prints = ", ".join(sorted(one.fingerprint[:12] for one in found))
        return (f"several arms of {loaded.header.id!r} are {arm!r}; give the beginning of a fingerprint: {prints}",)
    if (on_bench := only_on_bench(ledger, loaded.header.id, arm)) is not None:
        return (on_bench,)
    names = ", ".join(sorted(one.name for one in known.values())) or "none"
    known_as, how = loaded.header.id, f"measure it with `committee measure {loaded.header.id}`"
    return (f"proposal {known_as!r} has no measured arm {arm!r}; there is: {names}; {how}",)


def _measured(ledger: Ledger, revision: FrozenRevision) -> frozenset[str]:
    runs = ledger.of(MeasuringRun, proposal=revision.proposal, tree=revision.tree)
    return frozenset(fingerprint for _, run in runs for fingerprint in run.arms)


def evidence(workspace: Workspace, ledger: Ledger, subject: Subject) -> Evidence | tuple[str, ...]:
    """What supports accepting, or every sentence that says what is missing."""
    begun = _newest_completed(ledger, subject)
    if isinstance(begun, str):
        return (begun,)
    _, run = begun
    said: list[str] = []
    if subject.arm.is_code:
        said.append(
            f"arm {subject.arm.name!r} changes files of the server, which are put into production by a person only: do "
            f"that, say it in targets/{subject.target}.toml, start production, and measure what comes next against it"
        )
    _, target_sha256 = workspace.target(subject.target)
    if target_sha256 != run.target_sha256:
        said.append(f"targets/{subject.target}.toml or its accepted baseline changed since {run.run}; measure again")
    criteria = Criteria.model_validate(run.criteria)
    own = subject.proposal.criteria
    if criteria.model_copy(update={"blocks": own.blocks}) != own or criteria.blocks < own.blocks:
        said.append(
            f"{run.run} was measured with other criteria than the revision's own; measure with these, or with more "
            "blocks and nothing else changed"
        )
    verdicts = ledger.of(Verdict, run=run.run, arm=subject.arm.fingerprint)
    said.extend(_short_of(ledger, run.run, own, subject.arm.fingerprint, [verdict for _, verdict in verdicts]))
    said.extend(_doubted(ledger, [entry for entry, _ in verdicts]))
    if not verdicts and not said:
        said.append(f"{run.run} has no verdict on {subject.arm.name!r}; measure it")
    earlier = earlier_runs(ledger, begun, subject.arm.fingerprint, own)
    behind = blocks_behind(own, [verdict for _, verdict in verdicts])
    if not said and (lucky := not_outweighed(run.run, behind, earlier, own.blocks)):
        said.append(lucky)
    return tuple(said) if said else Evidence(run, tuple(entry for entry, _ in verdicts), earlier)


def _short_of(ledger: Ledger, run: str, own: Criteria, arm: str, verdicts: Sequence[Verdict]) -> list[str]:
    """What the criteria ask for and the run's verdicts on the arm do not show."""
    launches = [launch for _, launch in ledger.of(Launch, run=run)]
    gates = [gate for _, gate in ledger.of(Gate, run=run)]
    return [*criteria_missing(own, arm, verdicts, launches, gates), *fewer_blocks(own, arm, verdicts)]


def _doubted(ledger: Ledger, verdicts: list[Entry]) -> list[str]:
    """One sentence for each verdict that a person struck, or that rests on something struck."""
    against = doubts(ledger)
    return [
        f"verdict #{entry.seq} does not stand ({against[entry.id][-1].words}); measure again"
        for entry in verdicts
        if entry.id in against
    ]


def _newest_completed(ledger: Ledger, subject: Subject) -> Begun | str:
    """The newest completed run of this tree, target and arm; a void or stopped one supports nothing."""
    header, tree = subject.proposal.header, subject.revision.tree
    runs = [
        begun
        for begun in ledger.of(MeasuringRun, proposal=header.id, target=header.target)
        if subject.arm.fingerprint in begun[1].arms
    ]
    if not runs:
        return f"arm {subject.arm.name!r} was not measured on {header.target!r}; run `committee measure {header.id}`"
    own = [begun for begun in runs if begun[1].tree == tree]
    if not own:
        measured = (runs[-1][1].tree or "no revision")[:12]
        return f"the folder is now {tree[:12]}, but {measured} was measured; measure again or put the folder back"
    ends = {end.run: end for _, end in ledger.of(RunEnd)}
    completed = [begun for begun in own if begun[1].run in ends and ends[begun[1].run].outcome == "completed"]
    if completed:
        return completed[-1]
    last = own[-1][1].run
    end = ends.get(last)
    how = f"{end.outcome} ({end.detail})" if end else "not finished"
    return f"run {last} is {how}, so it supports no acceptance; measure again"
