"""What the pages point to is there: links between pages, and files named as the place where something lives."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))
LINKING = [*(f"docs/{page}" for page in PAGES), "README.md", "SECURITY.md", "CHANGELOG.md"]
LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)[^)]*\)")
PLACE = re.compile(r"`((?:committee|harness|ledger|tests|benchmarks|requirements)/[\w./-]*)`")
ROADMAP = DOCS / "roadmap.md"


def places(page: str) -> Iterator[str]:
    """Files and folders of the repository that a page names as such."""
    for match in PLACE.finditer(page):
        yield match[1]


@pytest.mark.parametrize("page", LINKING)
def test_links_lead_somewhere(page: str) -> None:
    home = ROOT / page
    dead = [link for link in LINK.findall(home.read_text(encoding="utf-8")) if not (home.parent / link).exists()]
    assert dead == []


def test_what_the_roadmap_says_stands_is_there() -> None:
    named = list(places(ROADMAP.read_text(encoding="utf-8")))
    assert len(named) > 50
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_every_page_is_reached_from_another_or_the_readme() -> None:
    reached = {
        (path.parent / link).resolve()
        for path in [ROOT / "README.md", *(DOCS / name for name in PAGES)]
        for link in LINK.findall(path.read_text(encoding="utf-8"))
    }
    alone = [name for name in PAGES if (DOCS / name).resolve() not in reached and not name.startswith("decisions/")]
    assert alone == []
