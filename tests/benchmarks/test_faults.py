"""Every fault of the simulator gets its right verdict from one launch by the bench that ships."""

from pathlib import Path

import pytest

from benchmarks.fault_cases import CASES, arm_of, criteria_of, target_of
from benchmarks.faults import Judged, all_cases, prepare, table, uncovered


def test_every_fault_has_a_case() -> None:
    assert uncovered() == []


def test_every_case_is_a_target_criteria_and_arms_that_exist(tmp_path: Path) -> None:
    for number, case in enumerate(CASES):
        folder = tmp_path / str(number)
        prepare(folder)
        assert "SIMULATOR" in target_of(case, folder).title and criteria_of(case).protocol == case.protocol
        arms = [arm_of(case, one, folder) for one in (case.arm, case.planned)]
        assert all(target_of(case, folder).denials(arm) == () for arm in arms if arm and not case.overlay)


def test_the_table_says_what_is_wrong_and_what_was_left() -> None:
    case = CASES[0]
    found = [
        Judged(case, "measured", "", (), 1.0),
        Judged(case, "died", "", (), 1.0),
        Judged(case, "measured", "", (7,), 1),
    ]
    text = table(found)
    assert text.count("| right |") == 1 and "WRONG, left [7]" in text and "1 of 3 right" in text


@pytest.mark.system
@pytest.mark.alone
async def test_every_fault_gets_its_right_verdict(tmp_path: Path) -> None:
    found = await all_cases(CASES, tmp_path, lambda judged: None)
    wrong = [f"{one.case.name}: {one.got}, not {one.case.wanted}: {one.sentence}" for one in found if not one.right]
    assert wrong == [] and len(found) == len(CASES)
