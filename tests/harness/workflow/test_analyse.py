"""Every analysis has an example that answers, and inputs that cannot be used are one sentence."""

from pathlib import Path

import pytest

from harness.analyses.answer import Answer
from harness.vocabulary.base import BadFileError
from harness.workflow.analyse import KINDS, example, kind
from tests.harness.workflow.test_profile_tables import export


@pytest.mark.parametrize("name", [name for name in KINDS if name != "attribution"])
def test_each_example_answers(tmp_path: Path, name: str) -> None:
    path = tmp_path / "inputs.toml"
    path.write_text(example(name), encoding="utf-8")
    assert isinstance(kind(name).answer(path), Answer)


def test_the_example_of_two_lengths_answers_with_its_profiles_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "inputs.toml"
    path.write_text(example("attribution"), encoding="utf-8")
    export(tmp_path / "50-tokens-pid1.sqlite", ("mul_mat_vec_iq4xs", 4 * 58, 5_000_000))
    export(tmp_path / "200-tokens-pid1.sqlite", ("mul_mat_vec_iq4xs", 4 * 208, 5_000_000))
    answer = kind("attribution").answer(path)
    assert isinstance(answer, Answer)
    assert answer.value("time a step, mul_mat_vec_iq4xs") == pytest.approx(20.0)
    assert answer.value("bandwidth, IQ4_XS products") == pytest.approx(14.4e9 / 0.020 / 1e9)


def test_an_unknown_analysis_names_those_there_are() -> None:
    with pytest.raises(BadFileError, match=r"no analysis 'speed'.*speculation, step-time"):
        kind("speed")


def test_a_pattern_that_is_no_expression_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "inputs.toml"
    path.write_text(example("attribution").replace('"iq4xs"', '"("'), encoding="utf-8")
    with pytest.raises(BadFileError, match="no regular expression"):
        kind("attribution").answer(path)


def test_a_layer_count_of_zero_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "inputs.toml"
    path.write_text(example("attribution").replace("all = 65", "all = 0"), encoding="utf-8")
    with pytest.raises(BadFileError, match="at least one layer"):
        kind("attribution").answer(path)


def test_a_run_is_profiles_or_told_kernels(tmp_path: Path) -> None:
    path = tmp_path / "inputs.toml"
    told = "[{}]\nsteps = {}\nkernels = {{ gdn = {{ calls = {}, total_ms = 208.0 }} }}\n"
    path.write_text(told.format("short", 58, 2827) + told.format("long", 208, 10026), encoding="utf-8")
    answer = kind("attribution").answer(path)
    assert isinstance(answer, Answer)
    assert answer.value("calls a step, gdn") == pytest.approx(48.2, abs=0.01)
    assert answer.value("time a step, gdn") == pytest.approx(1.0)
    path.write_text("[short]\nsteps = 58\n[long]\nsteps = 208\n", encoding="utf-8")
    with pytest.raises(BadFileError, match="give files or kernels"):
        kind("attribution").answer(path)


def test_processes_that_are_missing_or_twice_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "inputs.toml"
    runs = '[short]\nsteps = 58\nfiles = ["a1", "a2"]\n[long]\nsteps = 208\nfiles = {}\n'
    for files, said in (('["b1"]', "short has 2 profiles and long 1"), ('["b1", "a2"]', "named twice")):
        path.write_text(runs.format(files), encoding="utf-8")
        with pytest.raises(BadFileError, match=said):
            kind("attribution").answer(path)
