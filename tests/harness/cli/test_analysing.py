"""`harness analyse` from a terminal: examples, figures, JSON, charts, and inputs that carry no number."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from harness.cli.analysing import commands
from harness.vocabulary.base import BadFileError


def run(*words: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(commands, list(words))
    return result.exit_code, result.stdout, result.stderr


def test_an_example_is_printed_and_answers(tmp_path: Path) -> None:
    code, text, _ = run("step-time", "--example")
    assert code == 0
    path = tmp_path / "inputs.toml"
    path.write_text(text, encoding="utf-8")
    chart = tmp_path / "chart.svg"
    code, shown, _ = run("step-time", str(path), "--plot", str(chart))
    assert code == 0
    assert "32.2 tok/s" in shown
    assert "only a held-out size can test the line" in shown
    assert chart.read_text(encoding="utf-8").startswith("<svg")


def test_json_holds_values_and_cautions(tmp_path: Path) -> None:
    path = tmp_path / "inputs.toml"
    path.write_text("draft_tokens = 1\nacceptance = 0.52\ndraft_cost = 0.29\n", encoding="utf-8")
    code, text, _ = run("speculation", str(path), "--json")
    facts = {fact["name"]: fact["value"] for fact in json.loads(text)["facts"]}
    assert code == 0
    assert round(facts["speed-up"], 4) == 1.1783


def test_inputs_without_a_number_are_a_negative_answer(tmp_path: Path) -> None:
    path = tmp_path / "inputs.toml"
    path.write_text("[[sizes]]\ncards = 4\ngb_per_card = 3.66\nstep_ms = 14.671\n", encoding="utf-8")
    code, shown, said = run("step-time", str(path))
    assert (code, shown) == (1, "")
    assert said.startswith("No number: a line needs two sizes")
    code, text, _ = run("step-time", str(path), "--json")
    assert code == 1
    assert "two sizes" in json.loads(text)["no_number"]


def test_names_are_listed_and_a_mistyped_one_is_guessed() -> None:
    code, shown, _ = run()
    assert code == 0 and "speculation" in shown and "step-time" in shown
    with pytest.raises(BadFileError, match="did you mean 'speculation'"):
        CliRunner().invoke(commands, ["speculatoin"], catch_exceptions=False)


def test_no_inputs_says_how_to_get_some() -> None:
    code, _, said = run("growth")
    assert code == 2
    assert "harness analyse growth --example" in said
