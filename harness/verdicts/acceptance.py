"""Are the criteria written beforehand met? Answers with what is missing, in sentences; decides nothing itself."""

from collections.abc import Iterable, Sequence

from harness.verdicts.cells import counted_from_one, last_attempts
from harness.verdicts.guards import guard_holds
from harness.vocabulary.criteria import Criteria
from harness.vocabulary.outcome import GateName, Numerics, Reason, Role, Speed, Validity
from ledger.entries import Gate, Launch, Verdict


def criteria_missing(
    criteria: Criteria,
    arm: str,
    verdicts: Sequence[Verdict],
    launches: Sequence[Launch],
    gates: Sequence[Gate],
) -> tuple[str, ...]:
    """What is missing before `arm` (a fingerprint) may be accepted, one sentence each; empty means nothing.

    All of one run: its verdicts, launches and gates (those of other arms are ignored; broken attempts as well).
    """
    own = {(verdict.metric, verdict.load): verdict for verdict in verdicts if verdict.arm == arm}
    counted = last_attempts(launches)
    on_arm = [launch for launch in counted if launch.arm == arm]
    said = list(_main(criteria, own, counted, on_arm, gates))
    said += _guards(criteria, own)
    said += _numerics(criteria, own, on_arm, gates)
    said += _required(criteria, on_arm, gates)
    return tuple(said)


def fewer_blocks(criteria: Criteria, arm: str, verdicts: Sequence[Verdict]) -> tuple[str, ...]:
    """Where the verdict on the primary metric, or on a guard, stands on fewer blocks than the criteria ask for.

    Nothing where looks were planned: such a run ends early by a rule of its own.
    """
    if criteria.design.looks is not None:
        return ()
    asked = {(one.name, one.load) for one in (criteria.primary, *criteria.guard)}
    return tuple(
        f"{one.metric} at load {one.load} stands on {one.blocks} blocks, and the criteria ask for {criteria.blocks}; "
        "measure again"
        for one in verdicts
        if one.arm == arm and (one.metric, one.load) in asked
        if one.validity == Validity.VALID and one.blocks < criteria.blocks
    )


def _primary(criteria: Criteria, own: dict[tuple[str, int], Verdict]) -> Verdict | None:
    return own.get((criteria.primary.name, criteria.primary.load))


def _main(
    criteria: Criteria,
    own: dict[tuple[str, int], Verdict],
    counted: Sequence[Launch],
    on_arm: Sequence[Launch],
    gates: Sequence[Gate],
) -> Iterable[str]:
    what = f"{criteria.primary.name} at load {criteria.primary.load}"
    verdict = _primary(criteria, own)
    if verdict is None:
        yield f"no verdict on {what} for this arm; measure it"
        return
    if verdict.validity != Validity.VALID:
        because = f" ({verdict.reasons[0]})" if verdict.reasons else ""
        yield f"{what} is {verdict.validity}, VALID is needed{because}"
    if criteria.capability is None:
        if verdict.validity == Validity.VALID and verdict.speed != Speed.FASTER:
            yield f"{what} is {verdict.speed}, FASTER is needed"
        return
    name = f"capability {criteria.capability.check} {criteria.capability.value}"
    before = [launch for launch in counted if launch.role == Role.BASELINE.value]
    if not before or not all(_outcome(launch, GateName.CAPABILITY, gates) is False for launch in before):
        yield f"{name} did not fail on every baseline launch, so nothing is gained"
    if any(_outcome(x, GateName.CAPABILITY, gates) for x in counted if x.role == Role.PLACEBO.value):
        yield f"{name} held on a placebo launch, so the baseline has it already"
    if not on_arm or not all(_outcome(launch, GateName.CAPABILITY, gates) for launch in on_arm):
        yield f"{name} did not hold on every launch of the arm"


def _guards(criteria: Criteria, own: dict[tuple[str, int], Verdict]) -> Iterable[str]:
    for guard in criteria.guard:
        what = f"guard {guard.name} at load {guard.load}"
        verdict = own.get((guard.name, guard.load))
        if verdict is None or verdict.interval is None:
            yield f"{what} has no number"
        elif not guard_holds(verdict, guard, criteria.level):
            change = verdict.interval.estimate_pct
            yield f"{what} may be more than {guard.margin_pct:g} % worse (seen: {change:+.1f} %)"


def _numerics(
    criteria: Criteria, own: dict[tuple[str, int], Verdict], on_arm: Sequence[Launch], gates: Sequence[Gate]
) -> Iterable[str]:
    verdict = _primary(criteria, own)
    asked = criteria.numerics.policy == "identical" or GateName.IDENTICAL in criteria.gates
    if asked and verdict is not None and verdict.numerics != Numerics.IDENTICAL:
        yield f"numerics is {verdict.numerics}, IDENTICAL is needed"
    if criteria.numerics.policy == "quality" and GateName.QUALITY not in criteria.gates:
        yield from _gate_sentences(GateName.QUALITY, on_arm, gates)


def _required(criteria: Criteria, on_arm: Sequence[Launch], gates: Sequence[Gate]) -> Iterable[str]:
    """Required gates; text identity and the capability are judged above, over all launches together."""
    for name in criteria.gates:
        if name is not GateName.IDENTICAL and not (name is GateName.CAPABILITY and criteria.capability):
            yield from _gate_sentences(name, on_arm, gates)


def _gate_sentences(name: GateName, on_arm: Sequence[Launch], gates: Sequence[Gate]) -> Iterable[str]:
    lacking = {launch.block for launch in on_arm if not _outcome(launch, name, gates)}
    if not on_arm:
        yield f"gate {name} was not checked: the arm has no launch"
    elif lacking:
        yield f"gate {name} did not hold in block {counted_from_one(lacking)}"


def _outcome(launch: Launch, name: GateName, gates: Sequence[Gate]) -> bool | None:
    """Whether the gate held on this launch; none if it left no record. A missing witness is judged by validity."""
    found = [gate.passed or gate.reason == Reason.NO_WITNESS for gate in gates if _is(gate, launch, name)]
    return all(found) if found else None


def _is(gate: Gate, launch: Launch, name: GateName) -> bool:
    return gate.launch == launch.launch and gate.gate == name
