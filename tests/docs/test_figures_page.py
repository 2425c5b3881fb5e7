"""Every figure of the campaign that its published inputs carry comes out of a command, and the page's table is that."""

import pytest

from tests.docs.figures_page import INPUTS, PAGE, Figure, agrees, figures, printed, table, written


@pytest.mark.parametrize("figure", figures(), ids=lambda figure: figure.said)
def test_a_figure_comes_out_of_its_command_within_its_rounding(figure: Figure) -> None:
    assert printed(figure)
    assert agrees(figure) is figure.agrees


def test_the_table_on_the_page_is_what_the_commands_print() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert table() in page, "write it again with python -m tests.docs.figures_page"
    assert page == written(page)


def test_every_file_of_inputs_is_used() -> None:
    assert {path.stem for path in INPUTS.glob("*.toml")} == {figure.file for figure in figures()}
