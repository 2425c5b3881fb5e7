"""docs/simulator.md lists every option and fault; `python -m tests.harness.simulator.test_page` writes the tables."""

from collections.abc import Sequence
from pathlib import Path

from harness.simulator.faults import Fault
from harness.simulator.settings import OPTIONS

PAGE = Path(__file__).resolve().parents[3] / "docs" / "simulator.md"


def tables() -> dict[str, Sequence[str]]:
    """The rows of the page's two tables."""
    options = [
        f"| `{option.name}` | `{option.default}` | {option.meaning}"
        + (f": {', '.join(f'`{word}`' for word in option.choices)} |" if option.choices else " |")
        for option in OPTIONS
    ]
    faults = [f"| `{fault.value}` | {fault.said} |" for fault in Fault]
    return {
        "options": ["| option | default | meaning |", "|---|---|---|", *options],
        "faults": ["| fault | what it does |", "|---|---|", *faults],
    }


def filled(page: str) -> str:
    """The page with its tables as they have to be."""
    for name, rows in tables().items():
        before, found, rest = page.partition(f"<!-- {name} -->\n")
        after = rest[rest.index("<!-- end -->") :]
        page = before + found + "\n" + "".join(f"{row}\n" for row in rows) + "\n" + after
    return page


def test_the_page_names_every_option_and_fault() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert filled(page) == page, "run `python -m tests.harness.simulator.test_page`"


def test_no_fault_is_explained_twice_or_not_at_all() -> None:
    said = [fault.said for fault in Fault]
    assert len(set(said)) == len(said) and all(len(text) > 10 for text in said)


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
