"""llama-bench in its four formats, and the traps its rows show (lessons A8, M12)."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from committee.importing.llama_bench import BenchFile, read
from harness.vocabulary.base import BadFileError


def row(**changes: Any) -> dict[str, Any]:
    return {
        "build_commit": "8e7f22b", "build_number": 10353, "model_filename": "m.gguf", "n_batch": 2048, "type_k": "f16",
        "type_v": "f16", "split_mode": "layer", "tensor_split": "0.00", "flash_attn": True, "n_prompt": 0, "n_gen": 128,
        "n_depth": 0, "avg_ts": 38.9, "stddev_ts": 0.1, "samples_ts": [38.8, 39.0],
    } | changes  # fmt: skip


def as_csv(*rows: dict[str, Any]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, [name for name in rows[0] if name != "samples_ts"], extrasaction="ignore")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def as_sql(*rows: dict[str, Any]) -> str:
    names = [name for name in rows[0] if name != "samples_ts"]
    made = f"CREATE TABLE IF NOT EXISTS test ({', '.join(f'{name} TEXT' for name in names)});\n"
    for one in rows:
        values = ", ".join(f"'{one[name]}'" for name in names)
        made += f"INSERT INTO test ({', '.join(names)}) VALUES ({values});\n"  # noqa: S608 - as llama-bench writes it
    return made


def as_lines(*rows: dict[str, Any]) -> str:
    return "\n".join(json.dumps(one) for one in rows) + "\n"


def as_json(*rows: dict[str, Any]) -> str:
    return json.dumps(rows)


@pytest.mark.parametrize("written", [as_json, as_lines, as_csv, as_sql])
def test_every_format_gives_the_same_results(written: Any) -> None:
    bench = read(written(row(), row(n_prompt=512, n_gen=0, avg_ts=640.5, n_depth=4096)), "bench")
    assert [(one.test, one.tok_s, one.sd_tok_s) for one in bench.results] == [
        ("tg128", 38.9, 0.1),
        ("pp512 @ d4096", 640.5, 0.1),
    ]
    assert (bench.build, bench.model) == ("8e7f22b 10353", "m.gguf")


def test_repetitions_are_not_launches_and_a_single_one_is_said() -> None:
    assert read(as_json(row()), "bench").results[0].samples == 2
    assert any("one repetition" in said for said in read(as_csv(row()), "bench").cautions)


def cautions(*rows: dict[str, Any]) -> str:
    bench: BenchFile = read(as_json(*rows), "bench")
    return "; ".join(bench.cautions)


def test_a_comma_that_became_a_sweep_over_one_card() -> None:
    rows = [row(tensor_split=f"{card}.00", avg_ts=38.9 + card / 1000) for card in range(4)]
    said = cautions(*rows)
    assert "none names two cards" in said
    assert cautions(row(tensor_split="3.00/1.00"), row(tensor_split="1.00/1.00", avg_ts=30.0)) == ""
    assert "4 placements over cards agree within 0.01 %" in said


def real(ending: str) -> BenchFile:
    """What a llama-bench of 2026, built from its source, wrote of a small model on two busy cores."""
    return read((Path(__file__).parent / "real" / f"bench.{ending}").read_text(encoding="utf-8"), ending)


def test_a_real_file_of_two_lists_holds_every_combination_and_not_pairs() -> None:
    bench = real("csv")
    kinds = [tuple(value for name, value in one.settings if name.startswith("type_")) for one in bench.results]
    assert kinds == [("f16", "f16"), ("f16", "q8_0"), ("q8_0", "f16"), ("q8_0", "q8_0")]
    assert {one.test for one in bench.results} == {"tg2"}


def test_a_real_file_of_equal_parts_between_commas_is_two_runs_on_one_card() -> None:
    """`-ts 1,1` in SQL, whose table is named after the program now."""
    bench = real("sql")
    assert len(bench.results) == 2
    said = "; ".join(bench.cautions)
    assert "tensor_split is one number in every row (1.00)" in said
    assert "tg2: 2 rows have the same settings" in said


def test_a_single_repetition_has_no_spread_of_nothing() -> None:
    assert [one.sd_tok_s for one in real("csv").results] == [None] * 4


def test_a_real_file_of_lines_keeps_its_repetitions() -> None:
    bench = real("jsonl")
    assert [(one.test, one.samples) for one in bench.results] == [("pp64", 3), ("tg16", 3)]
    assert bench.cautions == ()


def test_a_real_split_is_silent() -> None:
    assert cautions(row(split_mode="layer"), row(split_mode="row", avg_ts=22.0)) == ""


def test_quantised_values_without_flash_attention_are_named() -> None:
    assert "needs flash attention" in cautions(row(type_v="q8_0", flash_attn=False))
    assert cautions(row(type_v="q8_0", flash_attn=True)) == ""


def test_two_builds_in_one_file_are_said() -> None:
    assert "rows of 2 builds" in cautions(row(), row(build_commit="other"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no result"),
        ("[]", "no result"),
        ("[" * 100_000, "not whole"),
        ('[{"a": 1}]', "without avg_ts"),
        ('[{"avg_ts"', "not whole"),
        ("a,b\n1,2\n", "without avg_ts"),
        ("INSERT INTO test VALUES (1)", "not whole"),
        ("CREATE TABLE other (a TEXT);", "none or several of the tables llama_bench, test"),
        ("CREATE TABLE test (a TEXT); ATTACH DATABASE '/tmp/x' AS x;", "not authorized"),
        ("CREATE TABLE test (a TEXT); PRAGMA writable_schema = 1;", "not authorized"),
    ],
)
def test_files_that_cannot_be_used(text: str, words: str) -> None:
    with pytest.raises(BadFileError, match=words):
        read(text, "bench")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"avg_ts": float("nan")},
            "row 2 of 'bench' has the rate 'nan' and the spread '0.1': it measured nothing, since",
        ),
        ({"avg_ts": float("inf")}, "has the rate 'inf'"),
        ({"avg_ts": "fast"}, "has the rate 'fast'"),
        ({"avg_ts": -5}, "has the rate '-5'"),
        ({"avg_ts": 0}, "has the rate '0'"),
        ({"stddev_ts": -0.5}, "and the spread '-0.5'"),
        ({"n_gen": 0}, "row 2 of 'bench' says no whole numbers of tokens"),
        ({"n_gen": "x"}, "says no whole numbers of tokens"),
        ({"n_gen": 1.5}, "says no whole numbers of tokens"),
    ],
)
def test_a_row_that_measured_nothing_is_one_sentence(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(BadFileError) as refused:
        read(as_json(row(), row(**changes)), "bench")
    assert said in str(refused.value) and "\n" not in str(refused.value)


@pytest.mark.parametrize(("second", "said"), [(("q8_0", "q8_0"), True), (("f16", "q8_0"), False)])
def test_keys_and_values_that_change_only_together_are_said(second: tuple[str, str], said: bool) -> None:
    cautions = read(as_json(row(), row(type_k=second[0], type_v=second[1], avg_ts=27.0)), "bench").cautions
    assert any("change only together" in one for one in cautions) is said
