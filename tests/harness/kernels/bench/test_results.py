"""A report survives its own JSON; anything else is refused with one sentence."""

import pytest

from harness.kernels.bench.results import ArmResult, Near, Number, Report, SlotResult, report_from

REPORT = Report(
    schema=1,
    task="t",
    sha256="0" * 64,
    language="c",
    seed=3,
    fault="",
    facts_before={"processor": "x"},
    facts_after={},
    device={},
    ceilings={"memory_bytes_s": 1.0},
    arms=[ArmResult("a", "", "", "", "", "", True, {"s": [Near("y", 1e-8, 1e-7, [1, 2])]})],
    slots=[SlotResult(0, 1, "arm", "a", [Number("s", "warm", 10.0, 9.0, 11.0, 100)])],
    seconds=1.5,
)


def test_a_report_survives_its_json() -> None:
    assert report_from(REPORT.to_json()) == REPORT


@pytest.mark.parametrize(
    "text", ["", "[]", '{"schema": 2}', '{"schema": 1}', '{"schema": 1, "arms": [1], "slots": []}']
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"run it again|cannot be read|Expecting value"):
        report_from(text)
