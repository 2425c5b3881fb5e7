"""docs/reviews.md lists every key of committee.toml and every reason for leaving a review out, and no other."""

import re
import tomllib
from pathlib import Path

from committee.vocabulary.config import CommitteeConfig
from committee.vocabulary.exclusion import Reason
from tests.docs.console import blocks
from tests.docs.test_targets_page import keys

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "reviews.md").read_text(encoding="utf-8")


def test_every_reason_has_its_row() -> None:
    table = PAGE.split("## Reasons for leaving one out")[1].split("\n## ")[0]
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == [reason.value for reason in Reason]


def test_every_key_of_committee_toml_has_its_row_and_the_example_can_be_used() -> None:
    table = PAGE.split("## committee.toml, every key")[1].split("\n## ")[0]
    cells = re.findall(r"^\| (`[^|]*) \|", table, re.MULTILINE)
    assert {key for cell in cells for key in re.findall(r"`([^`]+)`", cell)} == set(keys(CommitteeConfig))
    shown = next(body for info, body in blocks(PAGE) if info == "toml" and "[[reviewer]]" in body)
    used = CommitteeConfig.from_mapping(tomllib.loads(shown), "the example")
    assert [reviewer.name for reviewer in used.reviewer] == ["first", "second"]
