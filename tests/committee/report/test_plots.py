"""The drawing of a run: every launch, its texts escaped, nothing from elsewhere, the same every time."""

import sys
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

from committee.report.plots import NARROW_PX, WIDE_PX, PlotLibraryMissingError, launch_plot
from committee.report.runs import RunView


def parsed(svg: str) -> ET.Element:
    """The drawing as a tree; it was written by our own code a moment ago."""
    return ET.fromstring(svg)  # noqa: S314


@pytest.fixture(scope="module")
def drawn(views: tuple[RunView, ...]) -> ET.Element:
    return parsed(launch_plot(views[0], WIDE_PX))


def texts(root: ET.Element) -> list[str]:
    """Every text of a drawing."""
    return ["".join(element.itertext()) for element in root.iter("text")]


def test_every_launch_with_a_number_is_one_mark(drawn: ET.Element) -> None:
    faint = [path for path in drawn.iter("path") if path.get("opacity") == "0.72"]
    hollow = [path for path in drawn.iter("path") if path.get("stroke") == "var(--ink)" and path.get("stroke-width")]
    assert (len(faint), len(hollow)) == (4 + 4 * 4, 4)


def test_every_arm_is_named_with_its_outcome(drawn: ET.Element) -> None:
    said = texts(drawn)
    for word in ("control", "parallel-4", "kv-q8", "no-op", "one-thread", "v-cache-q8", "INVALID: start_refused"):
        assert word in said
    assert "××××  4 launches without a number" in said
    assert any(word.endswith("AMBIGUOUS, text CHANGED") for word in said)


def test_colours_come_from_the_page(drawn: ET.Element) -> None:
    used = {element.get(name) for element in drawn.iter() for name in ("fill", "stroke")} - {None, "none"}
    assert {"var(--faster)", "var(--slower)", "var(--same)", "var(--ambiguous)", "var(--band)"} <= used
    assert {colour for colour in used if colour and not colour.startswith("var(")} <= {"transparent"}


def test_effect_lines_and_placebo_band_stand_beside_every_row_with_data(drawn: ET.Element) -> None:
    dashed = [line for line in drawn.iter("line") if line.get("stroke") == "var(--effect)"]
    bands = [path for path in drawn.iter("path") if path.get("fill") == "var(--band)"]
    assert (len(dashed), len(bands)) == (2 * 5, 5)


def test_a_phone_gets_a_narrower_drawing(views: tuple[RunView, ...]) -> None:
    box = parsed(launch_plot(views[0], NARROW_PX)).get("viewBox")
    assert box is not None
    assert float(box.split()[2]) < NARROW_PX + 12


def test_the_same_run_gives_the_same_bytes(views: tuple[RunView, ...]) -> None:
    assert launch_plot(views[2], WIDE_PX) == launch_plot(views[2], WIDE_PX)


def test_a_void_run_and_a_run_without_launches_can_be_drawn(views: tuple[RunView, ...]) -> None:
    assert "run void" in texts(parsed(launch_plot(views[1], WIDE_PX)))
    bare = replace(views[0], points=(), verdicts=())
    assert "control" in texts(parsed(launch_plot(bare, WIDE_PX)))


def test_hostile_names_stay_text(views: tuple[RunView, ...]) -> None:
    evil = "</text><script>alert(1)</script>\x1b\u202e"
    points = tuple(replace(point, name=evil) if point.role == "arm" else point for point in views[1].points)
    root = parsed(launch_plot(replace(views[1], points=points), WIDE_PX))
    assert not list(root.iter("script"))
    assert any(text.startswith("</text><script>") for text in texts(root))


def test_missing_libraries_are_said_with_the_remedy(
    views: tuple[RunView, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(PlotLibraryMissingError, match="install committee with its extra `review`"):
        launch_plot(views[0], WIDE_PX)
