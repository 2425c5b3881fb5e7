"""The table of the campaign's figures in docs/analyses.md: each from a file in docs/campaign, by the analysis itself.

`python -m tests.docs.figures_page` writes it; a test holds the page against it.
"""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from harness.analyses.answer import Answer
from harness.workflow.analyse import KINDS, kind

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "analyses.md"
INPUTS = ROOT / "docs" / "campaign"
BETWEEN = re.compile(r"(<!-- figures -->\n).*?(<!-- end -->)", re.DOTALL)


@dataclass(frozen=True)
class Figure:
    """One figure of the campaign and where it comes from."""

    said: str
    file: str  # of docs/campaign, without its ending
    campaign: float | str
    fact: str = ""  # the fact that prints it, or
    caution: str = ""  # words of the caution that does
    within: float = 0.0  # how far the printed figure may be from the campaign's
    shown: str = ""  # the campaign's figure in words, where it is a range
    agrees: bool = True  # false where the campaign's own figures contradict each other

    @property
    def analysis(self) -> str:
        """The analysis that reads the file: the longest name that its own begins with."""
        return max((name for name in KINDS if self.file.startswith(name)), key=len)


def figures() -> tuple[Figure, ...]:
    """All of them, in the table's order."""
    read = tomllib.loads((Path(__file__).parent / "figures.toml").read_text(encoding="utf-8"))
    return tuple(Figure(**entry) for entry in read["figure"])


@cache
def answer(analysis: str, file: str) -> Answer:
    """What the analysis says of the file."""
    found = kind(analysis).answer(INPUTS / f"{file}.toml")
    assert isinstance(found, Answer), found
    return found


def printed(figure: Figure) -> str:
    """What the command prints: the fact as it is shown, or the words of the caution."""
    found = answer(figure.analysis, figure.file)
    if figure.caution:
        assert any(figure.caution in caution for caution in found.cautions), (figure, found.cautions)
        return f'"{figure.caution}"'
    return next(fact.shown for fact in found.facts if fact.name == figure.fact)


def agrees(figure: Figure) -> bool:
    """Whether the printed figure is the campaign's within its rounding; a caution that stands agrees."""
    if isinstance(figure.campaign, str):
        return True
    return abs(answer(figure.analysis, figure.file).value(figure.fact) - figure.campaign) <= figure.within


def table() -> str:
    """The rows as Markdown."""
    head = "| figure | file | prints | campaign | equal |\n|---|---|---|---|---|\n"
    return head + "".join(
        f"| {one.said} | `{one.file}` | {printed(one)} | {one.shown or _plain(one.campaign)} | {_equal(one)} |\n"
        for one in figures()
    )


def written(page: str) -> str:
    """The page with the table as it is now."""
    return BETWEEN.sub(lambda found: f"{found[1]}\n{table()}\n{found[2]}", page)


def _equal(figure: Figure) -> str:
    """Yes or no where the campaign gives a figure; a caution is said, and what it does not give is only shown."""
    if isinstance(figure.campaign, str):
        return "said" if figure.caution else "-"
    return "yes" if agrees(figure) else "no"


def _plain(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:,.10g}"


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
