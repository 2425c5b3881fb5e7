"""A kernel proposal from its task to a ranking of kernels alone: a real compiler, real arms, wrong arms caught."""

from pathlib import Path

import pytest

from ledger.entries import KernelRun, KernelVerdict, Verdict
from tests.committee.cli import yard
from tests.committee.measure import kernel_yard


@pytest.mark.system
def test_a_kernel_proposal_is_measured_ranked_and_reported(tmp_path: Path) -> None:
    workspace = kernel_yard.make(tmp_path / "w")
    measured = yard.typed(workspace, "committee", "measure", "1", "--json")
    assert measured.code == 0, measured.err
    (run,) = yard.on_record(workspace, KernelRun)
    assert isinstance(run, KernelRun) and (run.outcome, run.carried, run.proposal) == ("measured", True, yard.PROPOSAL)
    assert {one.arm_name: one.found for one in run.wrong} == {"no_op": "no_op", "one_wrong_sign": "wrong_values"}
    verdicts = [one for one in yard.on_record(workspace, KernelVerdict) if isinstance(one, KernelVerdict)]
    assert {(one.arm_name, one.mode, one.validity) for one in verdicts} == {
        ("vectors", "warm", "VALID"),
        ("vectors", "cold", "VALID"),
    }
    assert yard.on_record(workspace, Verdict) == []
    ranked = yard.value(yard.typed(workspace, "committee", "rank", "1", "--json"))
    assert ranked["server"] == [] and [one["run"] for one in ranked["kernel"]["verdicts"]] == [run.run] * 2
    shown = yard.typed(workspace, "committee", "rank", "1")
    assert shown.code == 0 and "kernels alone: a faster kernel is not yet a faster server" in shown.out
