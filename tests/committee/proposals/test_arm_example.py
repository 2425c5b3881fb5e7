"""The example of a new proposal's arms is one that its target admits."""

import re
import textwrap
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest

from committee.making import init, new
from committee.proposals.arm_example import arm_example
from harness.vocabulary.arm import Arm
from harness.vocabulary.target import Target

TARGETS = Path(__file__).resolve().parents[3] / "targets"


@dataclass(frozen=True)
class Case:
    """A shipped target, and a line as its engine's log lists the changed setting."""

    target: str
    line: str


@pytest.mark.parametrize("case", [Case("v100-tp4", "'tensor_parallel_size': 2,"), Case("local-llamacpp", "")])
def test_the_target_admits_its_example(case: Case) -> None:
    target = Target.from_toml(TARGETS / f"{case.target}.toml")
    arm = Arm.from_mapping(tomllib.loads(textwrap.dedent(arm_example(target))), "the example")
    assert target.denials(arm) == ()
    (witness,) = arm.witness
    assert (witness.source == "log") is bool(case.line)
    assert witness.pattern is None or re.search(witness.pattern, case.line)


def test_a_target_that_allows_nothing_is_told() -> None:
    target = Target.from_toml(TARGETS / "v100-tp4.toml").model_copy(update={"allowed_flags": {}})
    assert "lists nothing under [allowed_flags]" in arm_example(target)


def test_a_new_proposal_holds_it(tmp_path: Path) -> None:
    folder = new(init(tmp_path / "w"), "wider", "config")
    text = (folder / "arms" / "README.md").read_text()
    assert "n-parallel = 4" in text and "{{" not in text and "local-llamacpp admits" in text
