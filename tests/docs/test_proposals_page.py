"""docs/proposals.md names every key of proposal.toml, criteria.toml and an arm's file, and no other."""

import re
from pathlib import Path

import pytest

from committee.vocabulary.proposal import ProposalHeader
from harness.vocabulary.arm import Arm
from harness.vocabulary.base import Value
from harness.vocabulary.criteria import LATER, Criteria
from tests.docs.test_targets_page import keys

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "proposals.md").read_text(encoding="utf-8")
MEASURING = LATER  # tables of protocols besides the ladder: docs/measuring.md has theirs
ARMS = frozenset({"overlay", "deploy", "build"})  # tables named whole: docs/arms.md has their keys


def told(section: str) -> list[str]:
    """Keys in the first column of a section's table."""
    body = PAGE.split(f"\n## {section}\n")[1].split("\n## ")[0]
    cells = re.findall(r"^\| (`[^|]*) \|", body, re.MULTILINE)
    return [key for cell in cells for key in re.findall(r"`([^`]+)`", cell)]


def wanted(model: type[Value]) -> set[str]:
    """The model's dotted keys; tables that other pages describe are left out, or named whole."""
    found = {key.split(".")[0] if key.split(".")[0] in ARMS else key for key in keys(model)}
    return {key for key in found if key.split(".")[0] not in MEASURING}


@pytest.mark.parametrize(
    ("section", "model"), [("proposal.toml", ProposalHeader), ("criteria.toml", Criteria), ("arms/*.toml", Arm)]
)
def test_every_key_stands_in_its_table_once_and_no_other(section: str, model: type[Value]) -> None:
    assert sorted(told(section)) == sorted(wanted(model))


def test_the_keys_reach_into_optional_tables() -> None:
    assert {"budget.tokens", "budget.server_minutes"} <= wanted(ProposalHeader)
    assert {"looks.count", "controls.kind", "ladder.steps"} <= wanted(Criteria)
    assert "mixed.users" in set(keys(Criteria)) - wanted(Criteria)
    assert {"model", "overlay", "stack", "witness.equals"} <= wanted(Arm)


def test_the_other_pages_have_the_tables_that_are_only_named_here() -> None:
    folder = Path(__file__).resolve().parents[2] / "docs"
    measuring, arms = ((folder / name).read_text(encoding="utf-8") for name in ("measuring.md", "arms.md"))
    assert [name for name in sorted(MEASURING) if f"`{name}`" not in measuring] == []
    assert {key for key in keys(Arm) if key.split(".")[0] in ARMS} <= set(re.findall(r"`([a-z0-9_.]+)`", arms))
