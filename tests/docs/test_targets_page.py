"""docs/targets.md names every key of a target file and no other, and its examples can be used."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest

from harness.adapters import ADAPTERS, Place
from harness.hosts.base import ServerSpec
from harness.vocabulary.accepted import Accepted
from harness.vocabulary.arm import Arm
from harness.vocabulary.base import Value
from harness.vocabulary.private import Private
from harness.vocabulary.target import Target
from harness.workflow.order import read_target
from harness.workflow.production import production_spec
from harness.workflow.target_draft import READY
from tests.docs.console import blocks

PAGE_FILE = Path(__file__).resolve().parents[2] / "docs" / "targets.md"
PAGE = PAGE_FILE.read_text(encoding="utf-8")
EVERY_KEY, PRIVATE, OVERLAY = "## Every key", "## The private file", "## The accepted baseline"


def keys(model: type[Value], prefix: str = "") -> Iterator[str]:
    """Dotted keys of a file, through nested tables and lists of tables."""
    for name, info in model.model_fields.items():
        key = f"{prefix}{info.alias or name}"
        nested = list(tables_in(info.annotation))
        if nested:
            for table in nested:
                yield from keys(table, f"{key}.")
        else:
            yield key


def tables_in(annotation: Any) -> Iterator[type[Value]]:
    """Models inside an annotation such as `tuple[Witness, ...]`."""
    if isinstance(annotation, type) and not get_args(annotation) and issubclass(annotation, Value):
        yield annotation
    for argument in get_args(annotation):
        yield from tables_in(argument)


def told(section: str) -> set[str]:
    """Keys in the first column of a section's table; NAME stands for a flag or variable."""
    body = PAGE.split(section)[1].split("\n## ")[0]
    cells = re.findall(r"^\| (`[^|]*) \|", body, re.MULTILINE)
    return {key.replace(".NAME", "") for cell in cells for key in re.findall(r"`([^`]+)`", cell)}


def example(number: int) -> dict[str, Any]:
    """One of the page's TOML blocks."""
    return tomllib.loads([body for info, body in blocks(PAGE) if info == "toml"][number])


@pytest.mark.parametrize(("section", "model"), [(EVERY_KEY, Target), (PRIVATE, Private), (OVERLAY, Accepted)])
def test_every_key_stands_in_the_page_and_no_other(section: str, model: type[Value]) -> None:
    assert told(section) == set(keys(model))


def test_keys_reach_into_nested_tables() -> None:
    assert {"schema", "baseline.witness.equals", "armed.count", "allowed_env.min"} <= set(keys(Target))


def test_the_example_is_a_target_whose_command_is_the_one_meant(tmp_path: Path) -> None:
    target = Target.from_mapping(example(0), "the example")
    spec = production_spec(target, tmp_path)
    assert spec.argv[:3] == ("/opt/vllm/bin/python", "-m", "vllm.entrypoints.openai.api_server")
    assert after(spec, "--tensor-parallel-size") == "4"
    assert after(spec, "--port") == "8600"
    assert after(spec, "--served-model-name") == "production"
    assert dict(spec.env)["CUDA_VISIBLE_DEVICES"] == "0,1,2,3"


def after(spec: ServerSpec, flag: str) -> str:
    """The word that follows a flag."""
    return spec.argv[spec.argv.index(flag) + 1]


def test_the_examples_patterns_fit_the_lines_they_are_for() -> None:
    target = Target.from_mapping(example(0), "the example")
    log = "INFO kv_cache_utils.py: GPU KV cache size: 2,747,830 tokens\nINFO:     Application startup complete.\n"
    assert re.search(target.ready.pattern, log)
    assert [len(re.findall(armed.marker, log)) for armed in target.armed] == [0]
    (witness,) = target.baseline.witness
    assert re.search(str(witness.pattern), "config: model='x', tensor_parallel_size=4, pipeline_parallel_size=1")


def test_the_page_the_shipped_target_and_the_drafts_agree_on_vllms_ready_line() -> None:
    shipped, _ = read_target(PAGE_FILE.parents[1] / "targets" / "v100-tp4.toml")
    assert example(0)["ready"]["pattern"] == shipped.ready.pattern == READY["vllm"][0]


def test_the_overlay_is_laid_over_the_example(tmp_path: Path) -> None:
    raw = [body for info, body in blocks(PAGE) if info == "toml"]
    (tmp_path / "example-tp4.toml").write_text(raw[0], encoding="utf-8")
    (tmp_path / "example-tp4.accepted.toml").write_text(raw[1], encoding="utf-8")
    target, _ = read_target(tmp_path / "example-tp4.toml")
    assert target.baseline.flags["max-num-batched-tokens"] == 65536
    assert target.baseline.flags["tensor-parallel-size"] == 4
    assert target.baseline.witness == ()


def test_an_arm_of_the_example_is_admitted_and_another_denied(tmp_path: Path) -> None:
    target = Target.from_mapping(example(0), "the example")
    good = Arm.model_validate({"schema": 1, "name": "eager", "flags": {"enforce-eager": True}})
    bad = Arm.model_validate({"schema": 1, "name": "longer", "flags": {"max-model-len": 262144}})
    assert target.denials(good) == ()
    assert "is not listed" in target.denials(bad)[0]
    argv = ADAPTERS[target.adapter].argv(target, good, Place(alias="launch", port=5000, cwd=tmp_path))
    assert "--enforce-eager" in argv
