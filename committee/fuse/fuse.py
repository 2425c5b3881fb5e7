"""Fusing: hypotheses with the same change are grouped; every text and source is kept. Pure, independent of order."""

from collections import Counter
from collections.abc import Iterable, Sequence

from committee.fuse.arms import launched_arm, parse_arm
from committee.fuse.contradictions import contradictions_between, contradictions_in, refuted_apart
from committee.fuse.echo import echoes_example
from committee.fuse.fused import AUTHOR, Fused, Group, by_source
from committee.fuse.likeness import alike_in
from harness.vocabulary.arm import Arm
from ledger.canonical import digest
from ledger.entries import Arm as ArmEntry
from ledger.entries import Hypothesis

_LONGEST_NAME = 48  # what an arm's name may have
_MARK = 6  # hexadecimal digits that tell two changes of one name apart


def fuse(hypotheses: Sequence[Hypothesis], author_arms: Sequence[Arm]) -> Fused:
    """Group by the arm's fingerprint. An entry that contradicts itself is not runnable and says why; the others are."""
    every = _once(hypotheses)
    echoes = tuple(hypothesis for hypothesis in every if echoes_example(hypothesis.mechanism))
    told = [hypothesis for hypothesis in every if hypothesis not in echoes]
    runnable = [hypothesis for hypothesis in told if hypothesis.arm_fingerprint and not hypothesis.not_runnable]
    same = _same_change(runnable)
    definitions: dict[str, list[tuple[str, Arm]]] = {}
    for arm in author_arms:
        definitions.setdefault(same.get(arm.fingerprint, arm.fingerprint), []).append((AUTHOR, arm))
    asking: dict[str, list[Hypothesis]] = {}
    for hypothesis in runnable:
        named = arm_named(hypothesis)
        if isinstance(named, Arm):
            change = same.get(named.fingerprint, named.fingerprint)
            definitions.setdefault(change, []).append((hypothesis.hypothesis, named))
            asking.setdefault(change, []).append(hypothesis)
    groups = _with_unique_names(_group(found, asking.get(change, [])) for change, found in definitions.items())
    places = _places(groups, told)
    alike = alike_in(told, places)
    return Fused(
        groups=groups,
        not_runnable=tuple(h for h in told if h.not_runnable or (h.arm is not None and not h.arm_fingerprint)),
        without_arm=tuple(h for h in told if h.arm is None and not h.not_runnable),
        contradictions=(
            *(found for group in groups for found in contradictions_in(group)),
            *(found for one in alike for found in contradictions_between(one, groups)),
            *refuted_apart(told, places),
        ),
        alike=alike,
        echoes=echoes,
    )


def arm_named(hypothesis: Hypothesis) -> Arm | str:
    """The arm that a hypothesis asks for, a patch as the overlays it became; or one sentence why there is none."""
    if hypothesis.patch is not None and hypothesis.patch.launched is not None:
        return launched_arm(hypothesis.patch.launched)
    return parse_arm(hypothesis.arm or {})


def arm_entries(fused: Fused, target: str, proposal: str) -> tuple[ArmEntry, ...]:
    """The ledger entries of the arms to measure, in the order of the groups."""
    return tuple(
        ArmEntry(
            fingerprint=group.fingerprint,
            name=group.arm.name,
            target=target,
            proposal=proposal,
            definition=group.arm.model_dump(mode="json", by_alias=True),
            origins=group.origins,
        )
        for group in fused.groups
    )


def _same_change(runnable: Sequence[Hypothesis]) -> dict[str, str]:
    """Fingerprint of a patched arm -> its change without formatting: two styles of one patch are one change."""
    return {
        hypothesis.arm_fingerprint: hypothesis.patch.change
        for hypothesis in runnable
        if hypothesis.arm_fingerprint and hypothesis.patch and hypothesis.patch.change
    }


def _places(groups: Sequence[Group], told: Sequence[Hypothesis]) -> dict[str, str]:
    """Where each hypothesis stands: in its group, or alone."""
    alone = {hypothesis.hypothesis: hypothesis.hypothesis for hypothesis in told}
    return alone | {member.hypothesis: group.fingerprint for group in groups for member in group.hypotheses}


def _once(hypotheses: Sequence[Hypothesis]) -> list[Hypothesis]:
    """Each entry once, sorted by source. The same entry read twice is one; what contradicts itself is not runnable."""
    entries = {digest(hypothesis.model_dump(mode="json")): hypothesis for hypothesis in hypotheses}
    uses = Counter(hypothesis.hypothesis for hypothesis in entries.values())
    checked = [_checked(hypothesis, uses[hypothesis.hypothesis]) for hypothesis in entries.values()]
    return sorted(checked, key=lambda hypothesis: (by_source(hypothesis), _text(hypothesis)))


def _checked(hypothesis: Hypothesis, uses: int) -> Hypothesis:
    """The hypothesis, or the same as not runnable with the reason: one that is at fault ends no run that was paid."""
    if hypothesis.not_runnable or not hypothesis.arm_fingerprint:
        return hypothesis
    arm, reason = arm_named(hypothesis), None
    if uses > 1:
        reason = f"{uses} different hypotheses have the id {hypothesis.hypothesis!r}, so none of them is run"
    elif isinstance(arm, str):
        reason = arm
    elif arm.fingerprint != hypothesis.arm_fingerprint:
        reason = f"the arm of hypothesis {hypothesis.hypothesis!r} does not have its fingerprint"
    return hypothesis.model_copy(update={"not_runnable": reason})


def _text(hypothesis: Hypothesis) -> str:
    """What tells apart two hypotheses of one id, whatever was found out about them since."""
    return digest(hypothesis.model_dump(mode="json", exclude={"not_runnable"}))


def _group(found: list[tuple[str, Arm]], members: list[Hypothesis]) -> Group:
    """The author's definition is taken before a reviewer's, one with a witness before one without."""
    _, chosen = min(
        found,
        key=lambda item: (
            item[0] != AUTHOR,
            not item[1].witness,
            item[1].name,
            digest(item[1].model_dump(mode="json")),
        ),
    )
    return Group(
        fingerprint=chosen.fingerprint,
        arm=chosen,
        names=tuple(sorted({arm.name for _, arm in found})),
        origins=tuple(sorted({origin for origin, _ in found})),
        hypotheses=tuple(sorted(members, key=by_source)),
    )


def _with_unique_names(groups: Iterable[Group]) -> tuple[Group, ...]:
    """Different changes under one name get a mark of their fingerprint; a name the author gave alone stays."""
    listed = list(groups)
    uses = Counter(group.arm.name for group in listed)
    by_author = Counter(group.arm.name for group in listed if AUTHOR in group.origins)
    named: list[Group] = []
    for group in listed:
        name = group.arm.name
        owned = AUTHOR in group.origins and by_author[name] == 1
        if uses[name] > 1 and not owned:
            marked = f"{name[: _LONGEST_NAME - _MARK - 1]}-{group.fingerprint[:_MARK]}"
            group = Group(  # noqa: PLW2901 - the same group under its marked name
                group.fingerprint,
                group.arm.model_copy(update={"name": marked}),
                group.names,
                group.origins,
                group.hypotheses,
            )
        named.append(group)
    return tuple(sorted(named, key=lambda group: (group.arm.name, group.fingerprint)))
