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
    ("text", "said"),
    [
        ("", "Expecting value"),
        ("[]", "run it again"),
        ('{"schema": 2, "arms": [], "slots": []}', "run it again"),
        ('{"schema": 1}', "cannot be read"),
        ('{"schema": 1, "arms": [1], "slots": []}', "cannot be read"),
    ],
)
def test_anything_else_is_refused(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        report_from(text)
