"""A kernel proposal from its task to a ranking of kernels alone: a real compiler, real arms, wrong arms caught."""

from pathlib import Path

import pytest

from harness.kernels.cards import cards
from ledger.entries import KernelApproval, KernelRun, KernelVerdict, Verdict
from tests.committee.cli import yard
from tests.committee.measure import kernel_yard
from tests.harness.kernels.tasks import SAXPY_CUDA

FOUR_ROWS = "#pragma GCC unroll 4\n        for (int32_t i = 0; i < n; i++)\n"
HALF = "        for (int32_t i = 0; i < n / 2; i++)\n"


@pytest.mark.system
def test_a_kernel_proposal_is_reviewed_measured_ranked_and_reported(tmp_path: Path) -> None:
    workspace = kernel_yard.make(tmp_path / "w")
    kernel_yard.with_patches(workspace, FOUR_ROWS, HALF)
    reviewed = yard.typed(workspace, "committee", "review", "1")
    assert reviewed.code == 0, reviewed.err
    early = yard.typed(workspace, "committee", "measure", "1", "--arm", "two-rows")
    assert early.code == 2 and "nobody said yes to; read it with `committee approve" in early.err
    for name in ("two-rows", "half"):
        yes = yard.typed(workspace, "committee", "approve", "1", name, "--yes", "--person", "Ada")
        assert yes.code == 0 and "on the kernel bench, from plain; nothing goes to a server" in yes.out, yes
    measured = yard.typed(workspace, "committee", "measure", "1", "--arm", "two-rows", "--arm", "half", "--json")
    assert measured.code == 0, measured.err

    (run,) = yard.on_record(workspace, KernelRun)
    assert isinstance(run, KernelRun) and (run.outcome, run.carried, run.proposal) == ("measured", True, yard.PROPOSAL)
    assert {one.arm_name: one.found for one in run.wrong} == {"no_op": "no_op", "one_wrong_sign": "wrong_values"}
    assert {(one.arm_name, one.source_of, one.person) for one in run.patches} == {
        ("two_rows", "plain", "Ada"),
        ("half", "plain", "Ada"),
    }
    verdicts = [one for one in yard.on_record(workspace, KernelVerdict) if isinstance(one, KernelVerdict)]
    assert {(one.arm_name, one.mode, one.validity) for one in verdicts} == {
        ("two_rows", "warm", "VALID"),
        ("two_rows", "cold", "VALID"),
        ("half", "", "INVALID"),
    }
    (caught,) = [one for one in verdicts if one.arm_name == "half"]
    assert caught.reason.startswith("incomplete:")
    assert yard.on_record(workspace, Verdict) == []
    _shown(workspace, run)


def _shown(workspace: Path, run: KernelRun) -> None:
    """Every place that shows verdicts shows these, and none as a server's."""
    ranked = yard.value(yard.typed(workspace, "committee", "rank", "1", "--json"))
    assert ranked["server"] == [] and {one["run"] for one in ranked["kernel"]["verdicts"]} == {run.run}
    shown = yard.typed(workspace, "committee", "rank", "1")
    assert shown.code == 0 and "kernels alone: a faster kernel is not yet a faster server" in shown.out
    asked = yard.typed(workspace, "committee", "ask", "kernel", "half")
    assert asked.code == 0 and "INVALID (kernel alone on" in asked.out
    refused = yard.typed(workspace, "committee", "accept", "1", "two_rows", "--reason", "it is fast")
    assert refused.code == 1 and "a faster kernel is not yet a faster server" in refused.err
    taken = yard.typed(workspace, "committee", "approve", "1", "half", "--withdraw", "--reason", "it leaves half out")
    assert taken.code == 0, taken.err
    assert [one.approved for one in yard.on_record(workspace, KernelApproval) if isinstance(one, KernelApproval)] == [
        True,
        True,
        False,
    ]


@pytest.mark.system
def test_a_task_for_a_card_is_compiled_where_no_card_is(tmp_path: Path) -> None:
    workspace = kernel_yard.make(tmp_path / "w", "wrong_header", task=SAXPY_CUDA, named="quick")
    plan = yard.value(yard.typed(workspace, "committee", "measure", "1", "--dry-run", "--json"))
    assert (plan["task"], plan["arms"], plan["wrong"]) == ("kernels/quick", ["plain", "four_each"], ["wrong_header"])
    assert yard.on_record(workspace, KernelRun) == []
    measured = yard.typed(workspace, "committee", "measure", "1")
    (run,) = yard.on_record(workspace, KernelRun)
    assert isinstance(run, KernelRun) and not run.carried
    assert [(one.expected, one.found) for one in run.wrong] == [("header_missing", "header_missing")]
    if cards():  # then it was measured, and that is another test's matter
        assert run.outcome != "compiled"
        return
    assert measured.code == 0 and run.outcome == "compiled", measured
    assert "compiled for sm_70 (" in run.detail and "harness kernel pack kernels/quick PACK" in run.detail
    assert run.detail in measured.out and yard.on_record(workspace, KernelVerdict) == []
    assert yard.typed(workspace, "committee", "rank", "1").code == 0
