"""Everything that must hold before a paid call. It reads the frozen revision; nothing in it is run or followed."""

import math
from collections import defaultdict
from collections.abc import Iterable

from committee.fuse.arms import slow_patterns
from committee.proposals.complaint import Complaint, Severity, error, note, warning
from committee.proposals.folder import CRITERIA, HEADER, TEXT
from committee.proposals.includes import KERNEL, missing_includes
from committee.proposals.kernel_task import kernel_task
from committee.proposals.left_over import left_over
from committee.proposals.record import is_text
from committee.proposals.secrets import kinds_in, secrets_in
from committee.pull.evidence import evidence_complaints
from committee.vocabulary.proposal import FrozenRevision, LoadedProposal
from harness.planning import blocks_needed, visible_effect_pct
from harness.vocabulary.arm import Arm
from harness.vocabulary.criteria import MOST_RUN_BLOCKS
from harness.vocabulary.outcome import GateName
from harness.vocabulary.target import Target
from harness.workflow.lint import new_with, unprovable, unprovable_gate
from harness.workflow.open_secrets import open_secrets
from harness.workflow.plan import downtime_s
from harness.workflow.script_secrets import looks_secret
from ledger.entries import Verdict
from ledger.store import Ledger

EVIDENCE = "evidence/"
MUCH = 1.25  # times what the criteria ask for: below it a plan is a little blunt, above it most runs end AMBIGUOUS
SHOWN_VERDICTS = 20  # notes on one arm; older ones stay in `committee log`
NEEDED_GATES = (GateName.READY, GateName.ARMED, GateName.COHERENT)  # without them a number proves nothing


def check(
    proposal: LoadedProposal, revision: FrozenRevision, target: Target, ledger: Ledger | None
) -> tuple[Complaint, ...]:
    """Every finding, errors first. No error means that the proposal may be submitted."""
    found = [
        *_text(revision),
        *left_over(proposal, revision),
        *_kernel(proposal, revision),
        *_criteria(proposal, target),
        *_baseline(target),
        *(complaint for arm in proposal.arms for complaint in _arm(arm, target)),
        *_same_change(proposal.arms),
        *_blocks(proposal, target),
        *_budget(proposal, target),
        *evidence_complaints(dict(revision.files)),
        *secrets_in(revision),
        *_open_secrets(target),
    ]
    if ledger is not None:
        found.extend(complaint for arm in proposal.arms for complaint in _earlier(arm, target, ledger))
    return by_severity(found)


def _open_secrets(target: Target) -> list[Complaint]:
    said = open_secrets(target, lambda value: looks_secret(value) or bool(kinds_in(f'"{value}"')))
    return [warning(f"target {target.name!r}", said)] if said else []


def by_severity(found: Iterable[Complaint]) -> tuple[Complaint, ...]:
    """Errors first, each kind in the order in which it was found."""
    ranks = list(Severity)
    return tuple(sorted(found, key=lambda complaint: ranks.index(complaint.severity)))


def passes(complaints: tuple[Complaint, ...]) -> bool:
    """Whether nothing found stops a paid call."""
    return all(complaint.severity is not Severity.ERROR for complaint in complaints)


def _text(revision: FrozenRevision) -> list[Complaint]:
    """PROPOSAL.md says something, and binary files lie in evidence/ only."""
    files = dict(revision.files)
    found: list[Complaint] = []
    if not files.get(TEXT, b"").strip():
        found.append(error(TEXT, "it is missing or empty; write what was measured, what is known and what is not"))
    for path, content in revision.files:
        if is_text(content):
            continue
        if path.startswith(EVIDENCE):
            found.append(note(path, "it is binary, so reviewers see its name and size only"))
        else:
            found.append(error(path, "it is not UTF-8 text; move it to evidence/ or save it as UTF-8"))
    return found


def _kernel(proposal: LoadedProposal, revision: FrozenRevision) -> list[Complaint]:
    files = dict(revision.files)
    has_source = any(path.startswith(KERNEL) for path in files)
    if proposal.header.kind == "config":
        return (
            [warning(KERNEL, "kind is config, so kernel/ is not used; remove it or change kind")] if has_source else []
        )
    if not has_source:
        return [error(KERNEL, "kind is kernel but there is no source; add it as the server compiles it")]
    return [*missing_includes(files), *kernel_task(proposal, revision)]


def _criteria(proposal: LoadedProposal, target: Target) -> list[Complaint]:
    """What the schema cannot know: the target, gates without which nothing is proven, policy against gate."""
    criteria, found = proposal.criteria, []
    if proposal.header.target != target.name:
        found.append(error(HEADER, f"it is about {proposal.header.target!r}, but was checked against {target.name!r}"))
    missing = [gate.value for gate in NEEDED_GATES if gate not in criteria.gates]
    if missing:
        found.append(error(CRITERIA, f"gates must hold {', '.join(missing)}; without them a number proves nothing"))
    if said := unprovable_gate(target, criteria.gates):
        found.append(error(CRITERIA, said))
    highest, how = max(criteria.settings.loads), criteria.protocol.value
    if highest > target.most_users:
        said = f"the {how} reaches {highest} users, more than four times the {target.users} of {target.name!r}"
        found.append(error(CRITERIA, f"{said}, so it will not be measured; lower its loads"))
    elif highest > target.users:
        said = f"the {how} reaches {highest} users, but {target.name!r} is designed for {target.users}"
        found.append(warning(CRITERIA, said))
    if criteria.numerics.policy == "quality" and GateName.QUALITY not in criteria.gates:
        found.append(error(CRITERIA, "numerics policy quality needs the gate quality; add it to gates"))
    if criteria.capability is not None and GateName.CAPABILITY not in criteria.gates:
        found.append(error(CRITERIA, "a capability needs the gate capability; add it to gates"))
    return found


def _baseline(target: Target) -> list[Complaint]:
    """A baseline without which no arm is proven either; its other oddities are production's own."""
    said = unprovable(target, None)
    return [error(f"target {target.name!r}", said)] if said else []


def _arm(arm: Arm, target: Target) -> list[Complaint]:
    where = f"arms/ ({arm.name})"
    found = [error(where, f"{denial}; list it there or change the arm") for denial in target.denials(arm)]
    found += [error(where, slow) for slow in slow_patterns(arm)]
    if not arm.witness:
        said = "it names no witness of its effect, so nothing but FASTER or SLOWER would be VALID; add [[witness]]"
        found.append(warning(where, said))
    for one in new_with(target, arm):
        found.append((error if one.is_fault else warning)(where, f"{one.finding.sentence} [rule {one.rule}]"))
    if arm.is_code:
        said = (
            "it runs code that is not production's, so it is measured only with a person's name: "
            "`committee measure --approve NAME`, or choose the others with --arm"
        )
        found.append(warning(where, said))
    return found


def _same_change(arms: tuple[Arm, ...]) -> list[Complaint]:
    names: dict[str, list[str]] = defaultdict(list)
    for arm in arms:
        names[arm.fingerprint].append(arm.name)
    return [
        warning("arms/", f"{' and '.join(same)} are the same change and are measured once; keep one")
        for same in names.values()
        if len(same) > 1
    ]


def _blocks(proposal: LoadedProposal, target: Target) -> list[Complaint]:
    """Where the planned blocks cannot see what the criteria ask for: said before anything is paid or measured."""
    criteria, arms, spread_pct = proposal.criteria, max(1, len(proposal.arms)), target.planning.launch_sd_pct
    if criteria.looks or criteria.screen or criteria.capability:
        return []  # what looks and screens see is in `measure --dry-run`; a capability is there or not
    asked_pct, level = criteria.primary.smallest_effect_pct, criteria.level
    sees_pct = visible_effect_pct(spread_pct, criteria.blocks, arms, level)
    if sees_pct <= MUCH * asked_pct:
        return []
    needed = blocks_needed(asked_pct, spread_pct, arms, level)
    if needed is not None and needed <= MOST_RUN_BLOCKS:
        more = f"raise blocks to {needed}, or "
    else:
        none = f"no number of blocks that a run may have (at most {MOST_RUN_BLOCKS}) sees that"
        more = f"{none}; load each launch for longer, quieten the machine, or "
    of_arms = "one arm" if arms == 1 else f"one of {arms} arms"
    said = (
        f"{criteria.blocks} blocks see a gain of {math.ceil(sees_pct)} % for {of_arms} at the {spread_pct:g} % between "
        f"launches that {target.name!r} assumes, but smallest_effect_pct is {asked_pct:g}; {more}raise "
        f"smallest_effect_pct to {math.ceil(sees_pct)}"
    )
    return [warning(CRITERIA, said)]


def _budget(proposal: LoadedProposal, target: Target) -> list[Complaint]:
    """An error where not even one arm can be measured; a warning where the proposal's own arms are too many."""
    arms, allowed = max(1, len(proposal.arms)), proposal.header.budget.server_minutes
    one_min, whole_min = (downtime_s(target.planned, proposal.criteria, count) / 60 for count in (1, arms))
    mend = "raise budget.server_minutes or ask for fewer blocks or arms"
    if one_min > allowed:
        said = f"one arm takes about {one_min:.1f} server minutes to measure, but the budget is {allowed:g}"
        return [error(HEADER, f"{said}; {mend}")]
    if whole_min > allowed:
        said = f"{arms} arms take about {whole_min:.1f} server minutes to measure, but the budget is {allowed:g}"
        return [warning(HEADER, f"{said}, and `measure` will refuse them together; {mend}")]
    return []


def _earlier(arm: Arm, target: Target, ledger: Ledger) -> list[Complaint]:
    """Earlier primary verdicts on the very same change, one a run, newest first (lesson C7)."""
    verdicts = [
        note(f"arms/ ({arm.name})", f"measured before in {verdict.run}: {_words(verdict)} (entry {entry.id[:12]})")
        for entry, verdict in ledger.of(Verdict, target=target.name, arm=arm.fingerprint, primary=True)
    ]
    return verdicts[::-1][:SHOWN_VERDICTS]


def _words(verdict: Verdict) -> str:
    outcome = verdict.speed or f"{verdict.validity} ({'; '.join(verdict.reasons)})"
    change = f", {verdict.interval.estimate_pct:+.1f} %" if verdict.interval else ""
    return f"{verdict.metric} at load {verdict.load} {outcome}{change}, numerics {verdict.numerics}"
