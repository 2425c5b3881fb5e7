"""Every lesson that a page cites is told in docs/lessons.md, and no other; citing pages link to it."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
GLOSSARY = DOCS / "lessons.md"
NUMBER = re.compile(r"\b[ACMRS]\d{1,2}[a-c]?\b")
ENTRY = re.compile(rf"^\| ({NUMBER.pattern}) \| \S.*\. \|$", re.MULTILINE)
LINKING = ("simulator", "measuring", "gates-and-metrics", "client", "kernels", "analyses")
HEAD_LINES = 52  # analyses.md cites in one table only, which begins below them


def cited() -> set[str]:
    """Numbers of lessons in every page but the glossary."""
    pages = [path for path in DOCS.rglob("*.md") if path != GLOSSARY]
    return {number for page in pages for number in NUMBER.findall(page.read_text(encoding="utf-8"))}


def test_what_is_cited_is_told_and_what_is_told_is_cited() -> None:
    told = ENTRY.findall(GLOSSARY.read_text(encoding="utf-8"))
    assert set(told) == cited() and len(told) == len(set(told)) > 30


@pytest.mark.parametrize("page", LINKING)
def test_a_page_that_cites_says_at_its_head_where_the_lessons_stand(page: str) -> None:
    head = (DOCS / f"{page}.md").read_text(encoding="utf-8").splitlines()[:HEAD_LINES]
    assert any("](lessons.md)" in line for line in head)
