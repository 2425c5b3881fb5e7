"""The measured table in the terminal."""

import io

import pytest
from rich.console import Console

from committee.report.table import UnknownRunError, measured_table
from ledger.store import Ledger
from tests.committee.report.sample import KNOBS, KNOBS_RUN, REFUSED, VOID_RUN, Effect, Plan, append_run


def shown(ledger: Ledger, run: str, width: int = 100) -> str:
    """The table as a terminal of that width shows it."""
    out = io.StringIO()
    measured_table(ledger, run).print(Console(file=out, width=width, color_system=None))
    return out.getvalue()


def test_every_arm_has_its_three_axes_change_and_launches(ledger: Ledger) -> None:
    lines = shown(ledger, KNOBS_RUN.run).splitlines()
    row = next(line for line in lines if line.strip().startswith("parallel-4 ")).split()
    assert row[:3] == ["parallel-4", "VALID", "IDENTICAL"]
    assert row[-1] == "4"
    refused = next(line for line in lines if line.strip().startswith("v-cache-q8 ")).split()
    assert refused == ["v-cache-q8", "INVALID", "–", "no", "number", "4"]


def test_the_engines_words_and_the_next_step_stand_below(ledger: Ledger) -> None:
    text = shown(ledger, KNOBS_RUN.run, width=160)
    assert f"v-cache-q8: start_refused: {REFUSED}" in text
    waits = "parallel-4: a later acceptance stands on it: nothing to do"
    assert waits in text and "committee accept" not in text
    assert (
        "smallest effect that matters ±10 %; placebo against baseline −1.8 to +1.5 % (the two-sided 99 % interval"
        in " ".join(text.split())
    )
    assert (
        " ".join(text.split()).count("bounds of a change one-sided at 99 % each, 98 % between them; smallest effect")
        == 1
    )
    assert "of their mean ratio over 4 blocks); production away 6.2 min" in " ".join(text.split())


def test_sixty_columns_are_enough(ledger: Ledger) -> None:
    lines = shown(ledger, KNOBS_RUN.run, width=60).splitlines()
    assert max(len(line) for line in lines) <= 60
    assert any("+33.8 to +59.3 %" in line for line in lines)


@pytest.mark.parametrize("width", [30, 44, 60, 72])
def test_a_narrow_terminal_breaks_no_word_and_no_number(empty: Ledger, width: int) -> None:
    effects = {"threads-batch-and-more-16": Effect(7.0), "one": Effect(140.0)}
    append_run(empty, Plan(run="measure-narrow", proposal=None, effects=effects, sd_pct=8.0))
    wide, narrow = shown(empty, "measure-narrow", 120), shown(empty, "measure-narrow", width)
    table, _, _ = wide.partition("smallest effect")
    words = {word for line in table.splitlines()[1:] for word in line.split() if word.strip("─━")}
    assert "AMBIGUOUS" in words and "threads-batch-and-more-16" in words
    assert words - set(narrow.split()) <= {"arm"}  # the heading of what begins a stanza
    assert max(len(line) for line in narrow.splitlines() if "committee" not in line) <= width


def test_a_void_run_shows_no_number(ledger: Ledger) -> None:
    text = shown(ledger, VOID_RUN.run)
    row = next(line for line in text.splitlines() if line.strip().startswith("ubatch-1024 ")).split()
    assert row == ["ubatch-1024", "INVALID", "–", "no", "number", "4"]
    assert "run void: the placebo's interval" in " ".join(text.split())
    assert "FASTER" not in text


def test_arms_without_a_verdict_are_shown_too(empty: Ledger) -> None:
    append_run(empty, Plan(run="measure-stopped", proposal=None, effects={"one": Effect(40.0)}, end="stopped"))
    row = next(line for line in shown(empty, "measure-stopped").splitlines() if "no number" in line).split()
    assert row[1:] == ["run", "void", "–", "no", "number", "4"]


def test_markup_from_outside_is_text(empty: Ledger) -> None:
    evil = "[red]x[/]\x1b[31m\nforged: accept it"
    append_run(empty, Plan(run="measure-hostile", proposal=None, effects={evil: Effect(refused=evil)}))
    text = shown(empty, "measure-hostile", width=120)
    assert "[red]x[/]" in text
    assert "\x1b" not in text and "\\x1b[31m\\nforged" in "".join(text.split())
    assert not any(line.strip().startswith("forged") for line in text.splitlines())


def test_a_command_is_one_line_however_narrow_the_terminal_is(empty: Ledger) -> None:
    append_run(empty, Plan(run="measure-narrow-000001", proposal=KNOBS, effects={"a-rather-long-name": Effect(40.0)}))
    lines = shown(empty, "measure-narrow-000001", width=60).splitlines()
    assert f'    committee accept {KNOBS} a-rather-long-name --reason "..."' in lines
    assert "a-rather-long-name: accept it" in lines


def test_an_unknown_run_is_refused_in_one_sentence(ledger: Ledger) -> None:
    with pytest.raises(
        UnknownRunError, match=r"no measuring run 'measure-nothing' in '.*records\.db'; `committee log`"
    ):
        measured_table(ledger, "measure-nothing")
