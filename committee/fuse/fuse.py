"""Fusing: hypotheses with the same change are grouped; every text and source is kept. Pure, independent of order."""

from collections import Counter
from collections.abc import Iterable, Sequence

from committee.fuse.arms import parse_arm
from committee.fuse.contradictions import contradictions_in
from committee.fuse.fused import AUTHOR, Fused, Group, by_source
from harness.vocabulary.arm import Arm
from ledger.canonical import digest
from ledger.entries import Arm as ArmEntry
from ledger.entries import Hypothesis

_LONGEST_NAME = 48  # what an arm's name may have
_MARK = 6  # hexadecimal digits that tell two changes of one name apart


class HypothesisError(ValueError):
    """The hypotheses cannot be what a review run wrote: one id twice, or a fingerprint that is not its arm's."""


def fuse(hypotheses: Sequence[Hypothesis], author_arms: Sequence[Arm]) -> Fused:
    """Group by the arm's fingerprint. Raises HypothesisError for entries that contradict themselves."""
    told = _once(hypotheses)
    runnable = [hypothesis for hypothesis in told if hypothesis.arm_fingerprint and not hypothesis.not_runnable]
    definitions: dict[str, list[tuple[str, Arm]]] = {}
    for arm in author_arms:
        definitions.setdefault(arm.fingerprint, []).append((AUTHOR, arm))
    for hypothesis in runnable:
        arm = _arm_of(hypothesis)
        definitions.setdefault(arm.fingerprint, []).append((hypothesis.hypothesis, arm))
    groups = _with_unique_names(
        _group(found, [hypothesis for hypothesis in runnable if hypothesis.arm_fingerprint == fingerprint])
        for fingerprint, found in definitions.items()
    )
    return Fused(
        groups=groups,
        not_runnable=tuple(h for h in told if h.not_runnable or (h.arm is not None and not h.arm_fingerprint)),
        without_arm=tuple(h for h in told if h.arm is None and not h.not_runnable),
        contradictions=tuple(found for group in groups for found in contradictions_in(group)),
    )


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


def _once(hypotheses: Sequence[Hypothesis]) -> list[Hypothesis]:
    """Each entry once, sorted by source. The same entry read twice is one; two that share an id are a fault."""
    by_id: dict[str, Hypothesis] = {}
    for hypothesis in hypotheses:
        if by_id.setdefault(hypothesis.hypothesis, hypothesis) != hypothesis:
            raise HypothesisError(f"two different hypotheses have the id {hypothesis.hypothesis!r}")
    return sorted(by_id.values(), key=by_source)


def _arm_of(hypothesis: Hypothesis) -> Arm:
    arm = parse_arm(hypothesis.arm or {})
    if isinstance(arm, str) or arm.fingerprint != hypothesis.arm_fingerprint:
        raise HypothesisError(f"the arm of hypothesis {hypothesis.hypothesis!r} does not have its fingerprint")
    return arm


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


def _preference(item: tuple[str, Arm]) -> tuple[bool, bool, str, str]:
    origin, arm = item
    return origin != AUTHOR, not arm.witness, arm.name, digest(arm.model_dump(mode="json"))


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
