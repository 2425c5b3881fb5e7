"""docs/reviews.md lists every reason for leaving a review out, and none that does not exist."""

import re
from pathlib import Path

from committee.vocabulary.exclusion import Reason

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "reviews.md").read_text(encoding="utf-8")


def test_every_reason_has_its_row() -> None:
    table = PAGE.split("## Reasons for leaving one out")[1].split("\n## ")[0]
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == [reason.value for reason in Reason]
