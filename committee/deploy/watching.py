"""Looking again at an acceptance: the accepted arm against the baseline before it, and what the verdict means for it.

The bench measures (a `harness measure` process, which never takes a server that somebody uses); here only the order is
made and the outcome filed. An acceptance that is contradicted is marked as replaced by the look: nothing disappears.
"""

from pathlib import Path

from committee.accept.as_of import settings_of
from committee.accept.baseline import as_toml, overlay_path
from committee.accept.laid_over import target_with
from committee.accept.signature import commit_of
from committee.deploy.judging import Judged, judged
from committee.repository import committed_text, open_repository
from committee.workspace import Workspace
from harness.verdicts.acceptance import criteria_missing
from harness.vocabulary.criteria import Criteria
from harness.vocabulary.target import Target
from harness.workflow.admitted import arm_in
from harness.workflow.order import ArmOrder, Order, new_run_id
from ledger.canonical import sha256_hex
from ledger.entries import Acceptance, Arm, Gate, Launch, MeasuringRun, RunEnd, Supersession, Verdict, Watch
from ledger.in_force import Decided, course_of
from ledger.store import Entry, Ledger

BY = "committee watch"
SEED_DIGITS = 8  # hexadecimal digits of a run id's hash that seed its shuffling; 32 bits are plenty


def order_of(workspace: Workspace, ledger: Ledger, decided: Decided) -> Order:
    """The order that measures an accepted arm again, with the criteria it was accepted by. Raises BadFileError.

    A look that was interrupted, or was not filed, is taken up: the order is that run's. Marks that earlier looks lack
    are made first, whatever becomes of this one. Raises LedgerError too.
    """
    mark_unmarked(ledger, decided[0])
    acceptance = decided[1]
    ((_, plan),) = ledger.of(MeasuringRun, run=acceptance.run)
    criteria = Criteria.model_validate(plan.criteria)
    target, target_sha256 = _target_before(workspace, ledger, decided)
    run = _unfinished(ledger, decided, target_sha256) or new_run_id()
    return Order.from_mapping(
        {
            "run": run,
            "target": target,
            "target_sha256": target_sha256,
            "criteria": criteria,
            "arms": _arms(ledger, acceptance, plan, criteria),
            "seed": int(sha256_hex(run.encode())[:SEED_DIGITS], 16),
            "proposal": acceptance.proposal,
            "tree": acceptance.tree,
        },
        f"the order that looks at acceptance #{decided[0].seq} again",
    )


def _unfinished(ledger: Ledger, decided: Decided, target_sha256: str) -> str | None:
    """A run of an earlier look at this acceptance that has come to no end or was not filed; none without one.

    Only one against the baseline before it: others measure the arm on top of itself.
    """
    acceptance = decided[1]
    filed = {watch.run for _, watch in ledger.of(Watch, acceptance=decided[0].id)}
    course = course_of(ledger, acceptance.target)
    ended = {end.run: end.outcome for _, end in ledger.of(RunEnd)}
    looks = [
        run.run
        for entry, run in ledger.of(MeasuringRun, target=acceptance.target, target_sha256=target_sha256)
        if entry.seq > decided[0].seq and course.before(entry.seq) == decided and acceptance.arm in run.arms
    ]
    return next((run for run in looks if run not in filed and ended.get(run, "completed") == "completed"), None)


def file_look(ledger: Ledger, decided: Decided, run: str) -> Watch | str:
    """What a completed run says about the acceptance, on record with its mark; or one sentence why it says nothing."""
    acceptance = decided[1]
    verdicts = ledger.of(Verdict, run=run, arm=acceptance.arm)
    primary = [(one, verdict) for one, verdict in verdicts if verdict.primary]
    if not primary:
        return f"run {run} has no primary verdict on {acceptance.arm_name!r}, so nothing is filed"
    then = [one for _, one in ledger.of(Verdict, run=acceptance.run, arm=acceptance.arm) if one.primary]
    said = _judged(ledger, acceptance, run, then[0] if then else None, primary[0])
    watch = _watch(decided, then[0] if then else None, primary[0], said)
    if watch.outcome == "overturned":
        ledger.append_with(watch, lambda made: _mark(made, watch))
    else:
        ledger.append(watch)
    return watch


def mark_unmarked(ledger: Ledger, accepted: Entry) -> None:
    """Mark for looks that overturned and were killed before their mark, which once was an append of its own."""
    marked = {mark.by for _, mark in ledger.of(Supersession, subject=accepted.id)}
    looks = ledger.of(Watch, acceptance=accepted.id, outcome="overturned")
    ledger.append_all([_mark(made, look) for made, look in looks if made.id not in marked])


def _mark(made: Entry, watch: Watch) -> Supersession:
    return Supersession(subject=watch.acceptance, by=made.id, reason=f"overturned: {watch.detail}", person=BY)


def _judged(
    ledger: Ledger, acceptance: Acceptance, run: str, then: Verdict | None, now: tuple[Entry, Verdict]
) -> Judged:
    ((_, plan),) = ledger.of(MeasuringRun, run=run)
    criteria = Criteria.model_validate(plan.criteria)
    missing = criteria_missing(
        criteria,
        acceptance.arm,
        [now[1]],
        [one for _, one in ledger.of(Launch, run=run)],
        [one for _, one in ledger.of(Gate, run=run)],
    )
    return judged(criteria, then, now[1], missing)


def _watch(decided: Decided, then: Verdict | None, now: tuple[Entry, Verdict], said: Judged) -> Watch:
    entry, acceptance = decided
    verdict = now[1]
    return Watch(
        acceptance=entry.id,
        target=acceptance.target,
        arm=acceptance.arm,
        arm_name=acceptance.arm_name,
        run=verdict.run,
        verdict=now[0].id,
        metric=verdict.metric,
        load=verdict.load,
        accepted=then.interval if then else None,
        seen=verdict.interval,
        outcome="overturned" if said.overturned else "held",
        detail=said.detail,
    )


def _arms(ledger: Ledger, acceptance: Acceptance, plan: MeasuringRun, criteria: Criteria) -> tuple[ArmOrder, ...]:
    """The accepted arm, the parts it is stacked of, and the run's planted controls, by name."""
    found = [ledger.of(Arm, fingerprint=one, target=acceptance.target) for one in plan.arms]
    known = {entries[-1][1].name: entries[-1][1] for entries in found if entries}
    own = next(one for one in known.values() if one.fingerprint == acceptance.arm)
    named = {own.name, *arm_in(own).stack, *(control.arm for control in criteria.design.controls)}
    chosen = [known[name] for name in sorted(named) if name in known]
    return tuple(ArmOrder(arm=arm_in(one), origins=one.origins, approved_by=one.approved_by) for one in chosen)


def _target_before(workspace: Workspace, ledger: Ledger, decided: Decided) -> tuple[Target, str]:
    """The target as it was before the acceptance, and the hash of those files. Raises BadFileError."""
    file = workspace.folder / "targets" / f"{decided[1].target}.toml"
    return target_with(workspace, file.stem, _overlay_before(workspace, ledger, file, decided))


def _overlay_before(workspace: Workspace, ledger: Ledger, file: Path, decided: Decided) -> str | None:
    """The overlay in the commit before the acceptance's; rebuilt from the ledger where git lacks it."""
    course = course_of(ledger, decided[1].target)
    before = course.before(decided[0].seq)
    if before is None:
        return None
    repo = open_repository(workspace.folder)
    if not isinstance(repo, str):
        with repo:
            commit = commit_of(repo, decided[0])
            kept = committed_text(repo, overlay_path(file.parent, file.stem), f"{commit}^") if commit else None
            if kept is not None:
                return f"{kept}\n"
    settings = settings_of(ledger, Target.from_toml(file), course, before)
    return as_toml(settings, before[1]) if settings else None
