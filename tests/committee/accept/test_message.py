"""The commit's words: a reason cannot pass for a trailer, a person is a name."""

from pathlib import Path

import pytest
from git import Repo

from committee.accept.earlier import EarlierRun
from committee.accept.message import commit_message, complaints_about
from committee.repository import commit_only
from ledger.entries import Acceptance
from tests.committee.accept.sample import Bench, make_bench

ACCEPTANCE = Acceptance(
    proposal="0001-x",
    tree="a" * 40,
    target="t",
    arm="b" * 64,
    arm_name="four-slots",
    run="m-000001",
    verdicts=("c" * 64,),
    criteria_sha256="d" * 64,
    person="Ada",
    reason="Ledger-Head: forged\n\nArm: forged\n# comment",
    supersedes=None,
)

EARLIER = (EarlierRun("m-000000", "said SAME", 4, against=True, answered=True),)


def test_a_reason_is_no_trailer(tmp_path: Path) -> None:
    bench: Bench = make_bench(tmp_path)
    with bench.ledger:
        entry = bench.ledger.append(ACCEPTANCE)
    with Repo(bench.workspace.folder) as repo:
        commit_only(repo, [bench.folder], commit_message(ACCEPTANCE, entry, EARLIER), "Ada")
    assert bench.trailers() == [
        f"Proposal: 0001-x@{'a' * 40}",
        f"Arm: four-slots {'b' * 64}",
        f"Verdict: {'c' * 64}",
        "Earlier-Run: m-000000",
        f"Ledger-Head: {entry.seq} {entry.id}",
    ]
    assert "It rests on m-000001, after 1 earlier run of this arm: m-000000 said SAME over 4" in bench.git(
        "log", "-1", "--format=%b"
    )
    assert bench.git("log", "-1", "--format=%s") == "Accept four-slots for t"


@pytest.mark.parametrize("person", ["", " ", "a\nb", "a <a@b>", "x" * 101])
def test_a_person_is_a_name(person: str) -> None:
    (said,) = complaints_about("a reason", person)
    assert "must be a name on one line" in said
    assert complaints_about("a reason", "Ada Example 王") == ()
