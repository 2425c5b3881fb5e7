"""`harness targets` and `harness doctor`: a target file that cannot be used hides no other."""

import json
import os
from pathlib import Path

import pytest

from tests.committee.cli.yard import TARGET, typed, value


@pytest.fixture
def ws(tmp_path: Path) -> Path:
    """A workspace with two good targets and two bad ones between them."""
    (tmp_path / "targets").mkdir()
    for name, text in (
        ("aa", TARGET.replace('"small"', '"aa"')),
        ("bad", "[[half"),
        ("mistyped", TARGET.replace('"small"', '"mistyped"').replace("[planning]", "[planing]")),
        ("small", TARGET),
    ):
        (tmp_path / "targets" / f"{name}.toml").write_text(text)
    return tmp_path


@pytest.mark.parametrize("command", ["targets", "doctor"])
def test_good_ones_are_listed_beside_hostile_ones(ws: Path, command: str) -> None:
    (ws / "targets" / "deep.toml").write_text("x = " + "[" * 2000)
    (ws / "targets" / "digits.toml").write_text("x = " + "9" * 5000)
    os.mkfifo(ws / "targets" / "pipe.toml")
    said = typed(ws, "harness", command)
    assert said.code == 1 and "small" in said.out
    assert (said.out + said.err).count("a number has thousands of digits, or lists are nested too deeply") == 2
    assert "Traceback" not in said.err


def test_good_ones_are_listed_and_bad_ones_said(ws: Path) -> None:
    said = typed(ws, "harness", "targets")
    assert said.code == 1 and "aa" in said.out and "small" in said.out
    half, mistyped = said.err.splitlines()
    assert "bad.toml' is not valid TOML" in half and "finish or correct it" in half
    assert "mistyped.toml': 'planing': unknown key, the nearest known key is 'planning'" in mistyped
    as_json = typed(ws, "harness", "targets", "--json")
    assert as_json.code == 1 and [one["name"] for one in value(as_json)] == ["aa", "small"]


def test_a_secret_that_stands_openly_is_warned_of(ws: Path) -> None:
    (ws / "targets" / "bad.toml").unlink()
    (ws / "targets" / "mistyped.toml").unlink()
    open_one = TARGET.replace("[endpoint]", '[baseline.env]\nHF_TOKEN = "correct-horse"\n[endpoint]')
    (ws / "targets" / "small.toml").write_text(open_one)
    said = typed(ws, "harness", "targets")
    assert said.code == 0 and "correct-horse" not in said.out + said.err
    assert said.err.startswith("variable HF_TOKEN in 'targets/small.toml' looks like a secret")


def test_the_status_of_good_ones_is_said_beside_them(ws: Path) -> None:
    said = typed(ws, "harness", "status")
    assert said.code == 1 and said.out.splitlines()[0].startswith("aa: production is")
    assert len(said.err.splitlines()) == 2
    assert [one["target"] for one in value(typed(ws, "harness", "status", "--json"))] == ["aa", "small"]


@pytest.mark.parametrize(("wanted", "code", "says"), [(True, 1, "and should be up"), (False, 0, "and nobody asked")])
def test_the_status_of_a_production_that_should_be_up_and_is_not_is_negative(
    ws: Path, wanted: bool, code: int, says: str
) -> None:
    record = ws / ".committee" / "targets" / "small" / "production.json"
    record.parent.mkdir(parents=True)
    record.write_text(json.dumps({"spec": None, "wanted": wanted, "held": None, "url": ""}))
    said = typed(ws, "harness", "status", "small")
    assert said.code == code and f"small: production is down, {says}" in said.out
    told = typed(ws, "harness", "status", "small", "--json")
    assert told.code == code and value(told)[0]["as_wanted"] is not wanted
    assert typed(ws, "harness", "status", "aa").code == 0, "it was never started"


def test_the_doctor_names_each(ws: Path) -> None:
    said = typed(ws, "harness", "doctor")
    assert said.code == 1 and "good  targets: aa, small" in said.out
    assert said.out.count("LOOK  target: ") == 2 and "[[half" not in said.out


def test_the_doctor_looks_whether_a_baselines_program_is_there(ws: Path) -> None:
    path = ws / "targets" / "small.toml"
    path.write_text(path.read_text().replace('"{python}"', '"/opt/none/llama-server"'))
    said = typed(ws, "harness", "doctor")
    assert "LOOK  baseline of small: the baseline of 'small' cannot start: '/opt/none/llama-server' is not" in said.out
    assert "good  baseline of aa: its program is there" in said.out


def test_all_good_is_good(ws: Path) -> None:
    for name in ("bad", "mistyped"):
        (ws / "targets" / f"{name}.toml").unlink()
    assert typed(ws, "harness", "targets").code == 0


def test_no_name_of_a_flag_is_cut(ws: Path) -> None:
    names = [f"spec-ngram-simple-size-{end}" for end in ("n", "m", "min-hits", "k" * 70)]
    more = "".join(f'{name} = {{ type = "bool" }}\n' for name in names)
    (ws / "targets" / "small.toml").write_text(TARGET.replace("[allowed_flags]\n", f"[allowed_flags]\n{more}"))
    said = typed(ws, "harness", "targets")
    assert set(names) <= {word.strip(",") for word in said.out.split()}
