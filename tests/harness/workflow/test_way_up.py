"""One answer to how production comes up, and to whether one that does not run may be measured."""

import pytest

from harness.workflow.way_up import State, way_up, why_not_measured


@pytest.mark.parametrize(
    ("states", "wanted", "command"),
    [
        ((), True, "start"),
        (("restore_failed",), True, "start"),
        (("up", "taken_down", "restore_failed"), True, "restore"),
        (("up", "down"), False, "start"),
    ],
)
def test_only_what_has_been_up_is_restored(states: tuple[State, ...], wanted: bool, command: str) -> None:
    assert way_up("small", states, wanted=wanted) == f"harness {command} small"


@pytest.mark.parametrize(
    ("states", "said"),
    [
        ((), None),
        (("restore_failed",), "'small' is not up (its last start failed); `harness start small` first"),
        (("restore_failed", "down"), "'small' is not up (it has never been up here); `harness start small` first"),
        (("up", "restore_failed"), "'small' is not up (its last start failed); `harness restore small` first"),
        (("up", "down"), None),
        (("up", "taken_down"), None),
    ],
)
def test_what_did_not_come_up_is_not_measured(states: tuple[State, ...], said: str | None) -> None:
    assert why_not_measured("small", states) == said
