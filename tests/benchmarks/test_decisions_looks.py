"""The simulated runs with looks are judged as a real record of the same numbers is, and their rates hold."""

import numpy as np
import pytest

from benchmarks.decisions import upper
from benchmarks.decisions_looks import Results, main
from benchmarks.looks_world import Case, simulate
from harness.verdicts import assemble
from tests.harness.verdicts.played import Play, asking


def test_thirty_random_runs_are_judged_as_the_whole_line_judges_their_record() -> None:
    case = Case(2, 1.0)
    ((logs, outcome),) = simulate(case, (0.0, 3.0), 30, seed=4)
    looks = case.looks
    criteria = asking(
        blocks=case.most_blocks, level=0.01, looks={"count": len(looks), "planned_effect_pct": 3},
        primary={"metric": "total_tok_s", "load": 4, "smallest_effect_pct": 1},
    )  # fmt: skip
    for index, one in enumerate(np.exp(logs)):
        names = ("baseline", "placebo", "x", "y")
        played = Play(dict(zip(names, one.T.tolist(), strict=True)), criteria, looks)
        state = played.to_the_end()
        whole = assemble(played.run, criteria, played.arms, played.evidence, 1.0)
        assert len(played.launches) == outcome.launches[index] and state.over
        assert (whole.void is not None) == bool(outcome.void[index])
        if whole.void is None:
            said = {v.arm_name: v for v in whole.verdicts}
            assert [said["x"].speed, said["y"].speed] == outcome.words[index].tolist()
            assert [v.because == "futility" for v in (said["x"], said["y"])] == outcome.futile[index].tolist()
            low = [v.interval.low_pct for v in (said["x"], said["y"]) if v.interval]
            assert low == pytest.approx(100 * np.expm1(outcome.low[index]))


def test_errors_stay_at_the_level_and_looks_save_launches() -> None:
    case, results = Case(1, 4.7), Results(3_000, seed=2)
    null, planned = results.null(case), results.planned(case)
    assert upper(null.false_or_true_faster, null.runs) < 0.0135
    assert planned.faster_arms / planned.runs == pytest.approx(0.9, abs=0.02)
    assert null.launches / null.runs < 0.6 * case.fixed_launches
    assert planned.launches / planned.runs < 0.82 * case.fixed_launches
    assert planned.most_launches <= 1.3 * case.fixed_launches
    assert null.low_missed / null.bounds < 0.0135 and planned.low_missed / planned.bounds < 0.0135
    assert null.once_above_two / null.runs > 0.3 and null.hyperloom / null.runs > 0.1


@pytest.mark.system
def test_every_table_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--runs", "100"]) == 0
    said = capsys.readouterr().out
    assert said.count("|---|") >= 5 and "100 runs a figure, seed 1" in said
