"""What a yes covers is the very patch that the arm launches; anything else is nothing to approve."""

import pytest

from committee.arms.admit import admitted
from committee.arms.approvals import approvable, needs_yes
from committee.fuse.fuse import fuse
from harness.vocabulary.base import BadFileError
from ledger.entries import Hypothesis
from tests.committee.arms.sample import KERNEL, PATCH, SOURCE, STYLED, arm, fetched, listing
from tests.committee.fuse.sample import make_arm, make_hypothesis
from tests.committee.proposals.sample import make_target


def told(reviewer: str, patch: str = PATCH) -> Hypothesis:
    """A hypothesis as the review side makes it of a patch."""
    written = arm(patch, name=f"by-{reviewer}")
    found = admitted(written, listing(), fetched())
    assert found.arm is not None
    fingerprint = found.arm.fingerprint
    return make_hypothesis(reviewer, 1, written, arm_fingerprint=fingerprint, not_runnable=None, patch=found.patch)


def test_of_two_styles_the_one_that_is_launched_is_approved() -> None:
    (group,) = fuse([told("bob", STYLED), told("ada")], []).groups
    found = approvable(group, listing(), fetched())
    assert found.hypothesis.reviewer == "ada" and needs_yes(group.origins, group.arm)
    ((path, content),) = found.contents
    assert path == group.arm.overlay[0].source
    assert content == SOURCE.replace(b"x[i] = x[i] * 2.0f;", b"x[i] += x[i];")


def test_what_is_no_patch_or_does_not_apply_any_more_is_nothing_to_approve() -> None:
    plain = fuse([make_hypothesis("ada", 1, make_arm("a", threads=1))], []).groups[0]
    assert not needs_yes(plain.origins, plain.arm)
    with pytest.raises(BadFileError, match="is no patch that a reviewer wrote"):
        approvable(plain, make_target(), {})
    (group,) = fuse([told("ada")], []).groups
    with pytest.raises(BadFileError, match="does not apply"):
        approvable(group, listing(), {**fetched(), KERNEL: b"other\n"})
    assert not needs_yes(("author", *group.origins), group.arm)
