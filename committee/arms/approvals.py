"""A person's yes to code from a reviewer: what exactly is approved, and putting it on the target's host."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from committee.arms.admit import patched
from committee.fuse.fuse import arm_named
from committee.fuse.fused import AUTHOR, Group
from harness.vocabulary.arm import Arm
from harness.vocabulary.base import BadFileError
from harness.vocabulary.target import Target
from harness.workflow.approvals import standing_yes
from harness.workflow.carrier import open_host
from ledger.canonical import sha256_hex
from ledger.entries import Hypothesis, Withdrawal
from ledger.store import Ledger


@dataclass(frozen=True)
class Approvable:
    """The very patch that an arm launches, and the files that it leaves behind."""

    arm: Arm
    hypothesis: Hypothesis
    contents: tuple[tuple[str, bytes], ...]  # where each goes on the host, and what it holds


def approvals(ledger: Ledger, proposal: str) -> Mapping[str, str]:
    """Fingerprint of an arm that is code -> the person whose yes to it in this proposal stands."""
    return {fingerprint: yes.person for fingerprint, yes in standing_yes(ledger, proposal).items()}


def withdrawal(ledger: Ledger, proposal: str, arm: str, reason: str, person: str) -> Withdrawal:
    """The entry that takes back the yes to an arm, by the name it was approved under. Raises BadFileError for none."""
    standing = standing_yes(ledger, proposal)
    for yes in standing.values():
        if yes.arm.name == arm:
            return Withdrawal(
                approval=yes.entry.id,
                fingerprint=yes.arm.fingerprint,
                arm_name=arm,
                proposal=proposal,
                reason=reason,
                person=person,
            )
    known = ", ".join(sorted(yes.arm.name for yes in standing.values())) or "none"
    raise BadFileError(f"no yes to an arm {arm!r} stands in {proposal!r}, so none can be taken back; there is: {known}")


def needs_yes(origins: tuple[str, ...], arm: Arm) -> bool:
    """Whether an arm is code that only reviewers named: nothing of it runs before a person said yes."""
    return arm.is_code and AUTHOR not in origins


def approvable(group: Group, target: Target, files: Mapping[str, bytes]) -> Approvable:
    """What a yes to a group's arm would cover. Raises BadFileError where the arm is no patch, or not this one."""
    for told in group.hypotheses:
        if told.patch is None or arm_named(told) != group.arm.model_copy(update={"name": _name_of(told)}):
            continue
        made = {sha256_hex(content): content for content in patched(told.arm or {}, target, files).values()}
        if all(overlay.sha256 in made for overlay in group.arm.overlay):
            placed = tuple((over.source, made[over.sha256]) for over in group.arm.overlay if over.sha256)
            return Approvable(group.arm, told, placed)
    raise BadFileError(f"arm {group.arm.name!r} is no patch that a reviewer wrote, so there is nothing to approve here")


async def put(state: Path, target: Target, approved: Approvable) -> tuple[str, ...]:
    """Write the files where the arm's overlays take them from, on the target's host; those that were not there yet.

    Raises BadFileError where a file there is another one, GuardianError or OSError where the host cannot be used.
    """
    written: list[str] = []
    host = await open_host(state, target)
    try:
        for path, content in approved.contents:
            there = await host.stat(Path(path))
            if there is not None and there.sha256 == sha256_hex(content):
                continue
            if there is not None:
                raise BadFileError(f"{path!r} is there already and holds something else; remove it, then approve again")
            await host.put(Path(path), content)
            written.append(path)
    finally:
        await host.dismiss()
        await host.close()
    return tuple(written)


def _name_of(told: Hypothesis) -> str:
    named = arm_named(told)
    return named.name if isinstance(named, Arm) else ""
