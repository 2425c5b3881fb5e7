"""Charts as SVG: whole XML, nothing from elsewhere, every point in the frame, text escaped."""

from xml.etree import ElementTree as ET

import pytest

from harness.analyses.answer import Chart, Fact, Line
from harness.analyses.drawing import HEIGHT, WIDTH, draw

NAMESPACE = "{http://www.w3.org/2000/svg}"


def test_points_lie_in_the_frame_and_in_order() -> None:
    chart = Chart("<a & b>", "x", "y", (Line('"quoted"', (1.0, 10.0, 100.0), (5.0, 50.0, 500.0)),), logarithmic=True)
    root = ET.fromstring(draw(chart))  # noqa: S314 - written two lines above
    circles = [(float(one.get("cx", "")), float(one.get("cy", ""))) for one in root.iter(f"{NAMESPACE}circle")]
    assert len(circles) == 3
    assert all(0 < x < WIDTH and 0 < y < HEIGHT for x, y in circles)
    assert circles == sorted(circles) and circles[0][1] > circles[2][1]
    steps = [circles[1][0] - circles[0][0], circles[2][0] - circles[1][0]]
    assert steps[0] == pytest.approx(steps[1], abs=0.2)  # even steps of a logarithmic axis
    assert root.get("aria-label") == '<a & b>: "quoted"'


def test_points_alone_have_no_line_and_a_dot_in_the_legend() -> None:
    chart = Chart("t", "x", "y", (Line("cloud", (1.0, 2.0), (3.0, 3.0), joined=False),))
    root = ET.fromstring(draw(chart))  # noqa: S314 - written two lines above
    assert len(list(root.iter(f"{NAMESPACE}circle"))) == 3


def test_equal_values_and_no_values() -> None:
    assert "<svg" in draw(Chart("t", "x", "y", (Line("one", (0.0,), (0.0,)),)))
    with pytest.raises(ValueError, match="0 x"):
        draw(Chart("t", "x", "y", ()))
    with pytest.raises(ValueError, match="logarithmic"):
        draw(Chart("t", "x", "y", (Line("one", (0.0,), (1.0,)),), logarithmic=True))


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [(1048576, "tokens", "1,048,576 tokens"), (0.29, "", "0.29"), (-26.28, "%", "-26.28 %"), (51098.2, "", "51,098")],
)
def test_a_fact_is_shown_with_its_unit(value: float, unit: str, shown: str) -> None:
    assert Fact("f", value, unit).shown == shown


def test_a_fact_is_never_nan() -> None:
    with pytest.raises(ValueError, match="NoNumber"):
        Fact("f", float("nan"), "")
