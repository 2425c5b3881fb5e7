"""How busy the machine was while a run measured, in the quiet gate's own words, and when that is a warning."""

import pytest

from committee.report import build
from committee.report.busyness import busyness
from committee.report.table import measured_table
from harness.gates.quiet import check_quiet
from harness.hosts.looking import MachineReading
from harness.vocabulary.target import Quiet
from ledger.entries import Gate, Launch
from ledger.store import Ledger
from tests.committee.report.sample import Effect, Plan, append_run

RUN = "measure-busy-00"


def gate(launch: str, others_pct: float, load: float, quiet: Quiet | None = None) -> Gate:
    """The quiet gate as a launch of ten seconds on four cores records it."""
    before = MachineReading(100.0, 4, 50.0, 0.0, 10.0, 0.5, None, None, None, ())
    after = MachineReading(110.0, 4, 70.0 + 0.4 * others_pct, 0.0, 30.0, load, None, None, None, ())
    found = check_quiet(quiet or Quiet(), before, after, frozenset())
    reason = found.reason.value if found.reason else None
    return Gate(launch=launch, run=RUN, gate="quiet", passed=found.passed, reason=reason, evidence=found.evidence)


@pytest.mark.parametrize(
    ("others_pct", "quiet", "said"),
    [
        ((1, 2, 4.5), None, ""),
        ((1, 2, 12), None, ": a busy machine makes intervals wide, measure again when it is quiet"),
        ((1, 2, 9), Quiet(max_other_cpu_pct=1.5), ": too busy by the target's [quiet] in 2 launches"),
    ],
)
def test_load_and_share_of_others_and_a_warning_by_the_gates_rule(
    others_pct: tuple[float, ...], quiet: Quiet | None, said: str
) -> None:
    gates = [gate(str(pct), pct, load, quiet) for pct, load in zip(others_pct, (1.25, 4.0, 0.75), strict=True)]
    assert busyness(gates) == (
        "machine load while measuring 1.2 (median), 4.0 (worst); others used 2.0 % of the cores (median), "
        f"{max(others_pct):.1f} % (worst){said}"
    )


def test_what_tells_nothing_is_not_shown() -> None:
    assert busyness([]) == ""
    assert busyness([Gate(launch="a", run=RUN, gate="quiet", passed=True, reason=None, evidence="?")]) == ""


def test_a_run_says_it_below_its_table_and_in_the_report_without_broken_blocks(empty: Ledger) -> None:
    append_run(empty, Plan(run=RUN, proposal=None, effects={"one": Effect(40.0)}, broken_block=1))
    launches = [launch for _, launch in empty.of(Launch, run=RUN)]
    broken = {one.launch for one in launches if one.block == 1 and one.attempt == 1}
    assert broken
    empty.append_all([gate(one.launch, 90 if one.launch in broken else 3, 1.25) for one in launches])
    line = (
        "machine load while measuring 1.2 (median), 1.2 (worst); others used 3.0 % of the cores (median), 3.0 % (worst)"
    )
    assert line in measured_table(empty, RUN).notes[-1].words
    assert line in build(empty)
