"""A reviewer's patch is measured only after a person has read it and said yes; then the very file lies on the host."""

import json
from pathlib import Path

import pytest

from committee.arms.approvals import approvals
from committee.cli.desk import order_of
from committee.workflow.desk import Measuring
from committee.workspace import Workspace
from harness.vocabulary.base import BadFileError
from harness.workflow.admitted import launchable
from harness.workflow.plan import commit_plan
from ledger.entries import Arm, Brief, ReviewRun, Withdrawal
from tests.committee.cli import yard

SOURCE = "// as compiled\nint f() {\n    return 1;\n}\n"
HUNK = "@@ -1,4 +1,4 @@\n // as compiled\n int f() {\n-    return 1;\n+    return 2;\n }\n"
PATCH = f"--- a/kernel/a.cu\n+++ b/kernel/a.cu\n{HUNK}"


def place_with_patch(tmp_path: Path) -> Path:
    """A workspace whose first reviewer brings a patch of the fetched kernel; reviewed."""
    workspace = yard.make(tmp_path / "w")
    (tmp_path / "a.cu").write_text(SOURCE)
    (tmp_path / "arms").mkdir()
    path = json.dumps(str(tmp_path / "a.cu"))
    with (workspace / "targets" / "small.toml").open("a") as file:
        file.write(f'[[sources.compiled]]\npath = {path}\ninto = "kernel/a.cu"\n')
        file.write(f'[[allowed_overlays]]\npath = {path}\nmode = "in-place"\n')
        file.write(f"sources = {json.dumps(str(tmp_path / 'arms'))}\n")
    assert yard.typed(workspace, "committee", "pull", "1").code == 0
    recording = json.loads(yard.recording("return-2", 0.0005))
    seen = [{"source": "log", "pattern": "listening on"}]
    arm = {"name": "return-2", "title": "", "flags": {}, "env": {}, "patch": PATCH, "witness": seen}
    recording["answer"]["hypotheses"][0]["arm"] = arm
    (workspace / "recordings" / "first.json").write_text(json.dumps(recording))
    reviewed = yard.typed(workspace, "committee", "review", "1")
    assert reviewed.code == 0, reviewed.err
    return workspace


def test_nothing_runs_before_a_yes_and_then_the_very_file_is_there(tmp_path: Path) -> None:
    workspace = place_with_patch(tmp_path)
    brief = (workspace / "proposals" / yard.PROPOSAL / "brief.md").read_text()
    assert "### return-2" in brief and "**Needs a person's yes**" in brief
    place, (run,) = Workspace.find(workspace), yard.on_record(workspace, ReviewRun)
    (found,) = yard.on_record(workspace, Brief)
    assert isinstance(run, ReviewRun) and isinstance(found, Brief)
    asked = Measuring("measure-000001", run.run, run.proposal, run.tree, found.arms)
    with place.ledger() as ledger:
        assert "return-2" not in [item.arm.name for item in order_of(place, ledger, asked).arms]

    refused = yard.typed(workspace, "committee", "approve", "1", "return-2")
    assert refused.code == 2 and "read it, then say --yes" in refused.err
    assert list((tmp_path / "arms").iterdir()) == []

    done = yard.typed(workspace, "committee", "approve", "1", "return-2", "--person", "Ada", "--yes")
    assert done.code == 0, done.err
    assert (
        "+    return 2;" in done.out and "compiled: not checked: the target's file names no architectures" in done.out
    )
    (written,) = (tmp_path / "arms").rglob("a.cu")
    assert written.read_text() == SOURCE.replace("return 1", "return 2")
    assert (tmp_path / "a.cu").read_text() == SOURCE
    with place.ledger() as ledger:
        (arm,) = [item for item in order_of(place, ledger, asked).arms if item.arm.name == "return-2"]
        assert approvals(ledger, run.proposal) == {arm.arm.fingerprint: "Ada"}
    assert arm.approved_by == "Ada" and arm.arm.overlay[0].source == str(written)
    again = yard.typed(workspace, "committee", "approve", "1", "return-2", "--yes")
    assert again.code == 1 and "Ada has said yes" in again.err
    assert len([one for one in yard.on_record(workspace, Arm) if isinstance(one, Arm) and one.approved_by]) == 1


def test_a_yes_that_was_taken_back_is_none_and_runs_begun_before_do_not_go_on_with_it(tmp_path: Path) -> None:
    workspace = place_with_patch(tmp_path)
    words = ("committee", "approve", "1", "return-2")
    nothing = yard.typed(workspace, *words, "--withdraw", "--reason", "why")
    assert nothing.code == 2 and "no yes to an arm 'return-2' stands" in nothing.err and "there is: none" in nothing.err
    assert yard.typed(workspace, *words, "--yes", "--person", "Ada").code == 0
    for half in (("--withdraw",), ("--reason", "not read well"), ("--withdraw", "--reason", " ")):
        refused = yard.typed(workspace, *words, *half)
        assert refused.code == 2 and "needs --withdraw and --reason TEXT" in refused.err
    place, (run,) = Workspace.find(workspace), yard.on_record(workspace, ReviewRun)
    (brief,) = yard.on_record(workspace, Brief)
    assert isinstance(run, ReviewRun) and isinstance(brief, Brief)
    asked = Measuring("measure-000001", run.run, run.proposal, run.tree, brief.arms)
    with place.ledger() as ledger:
        plan = commit_plan(ledger, order_of(place, ledger, asked))
        target, _ = place.target(plan.target)
        assert "return-2" in [arm.name for arm in launchable(ledger, plan, target).values()]

    done = yard.typed(workspace, *words, "--withdraw", "--reason", "not read well", "--person", "Eve")
    assert done.code == 0 and "took back the yes to return-2" in done.out
    (entry,) = yard.on_record(workspace, Withdrawal)
    assert isinstance(entry, Withdrawal) and (entry.person, entry.reason) == ("Eve", "not read well")
    with place.ledger() as ledger:
        assert "return-2" not in [item.arm.name for item in order_of(place, ledger, asked).arms]
        with pytest.raises(BadFileError, match=r"Eve took back the yes to arm 'return-2' \(not read well\)"):
            launchable(ledger, plan, target)
        assert ledger.find(entry.approval).payload == next(
            arm for _, arm in reversed(ledger.of(Arm)) if arm.approved_by == "Ada"
        )

    assert yard.typed(workspace, *words, "--yes", "--person", "Bo").code == 0
    with place.ledger() as ledger:
        assert approvals(ledger, run.proposal) == {entry.fingerprint: "Bo"}
        assert entry.fingerprint in launchable(ledger, plan, target)


def test_what_needs_no_yes_gets_none(tmp_path: Path) -> None:
    workspace = place_with_patch(tmp_path)
    for arm, words in (
        ("long-pause", "is not code of a reviewer"),
        ("fast", "is not code of a reviewer"),
        ("nothing", "has no arm 'nothing'; there is:"),
    ):
        refused = yard.typed(workspace, "committee", "approve", "1", arm, "--yes")
        assert refused.code == 2 and words in refused.err


def test_another_file_is_not_written_over_and_only_code_without_a_yes_is_no_order(tmp_path: Path) -> None:
    workspace = place_with_patch(tmp_path)
    (arm,) = [one for one in yard.on_record(workspace, Brief) if isinstance(one, Brief)]
    with Workspace.find(workspace).ledger() as ledger:
        text = ledger.read_blob(arm.markdown.sha256).decode()
    source = next(word.strip("`") for word in text.split() if word.strip("`").startswith(str(tmp_path / "arms")))
    Path(source).parent.mkdir(parents=True)
    Path(source).write_text("mine")
    refused = yard.typed(workspace, "committee", "approve", "1", "return-2", "--yes")
    assert refused.code == 2 and "holds something else; remove it, then approve again" in refused.err
    assert Path(source).read_text() == "mine"

    place, (run,) = Workspace.find(workspace), yard.on_record(workspace, ReviewRun)
    (patched,) = [one for one in yard.on_record(workspace, Brief) if isinstance(one, Brief)]
    assert isinstance(run, ReviewRun)
    with place.ledger() as ledger:
        whole = order_of(place, ledger, Measuring("measure-000001", run.run, run.proposal, run.tree, patched.arms))
        rest = tuple(set(patched.arms) - {item.arm.fingerprint for item in whole.arms})
        with pytest.raises(BadFileError, match="code of a reviewer that nobody said yes to"):
            order_of(place, ledger, Measuring("measure-000002", run.run, run.proposal, run.tree, rest))


def test_without_a_brief_there_is_nothing_to_approve(tmp_path: Path) -> None:
    refused = yard.typed(yard.make(tmp_path / "w"), "committee", "approve", "1", "x", "--yes")
    assert refused.code == 2 and "has no brief yet" in refused.err
