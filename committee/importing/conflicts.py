"""Pure: named numbers on which imported sources disagree. Shown side by side, never chosen between (lesson R3b)."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from ledger.entries.imported import ImportedPage


@dataclass(frozen=True)
class Conflict:
    """One name, and each value with the pages that say it."""

    name: str
    said: tuple[tuple[str, tuple[str, ...]], ...]  # value, titles of pages

    @property
    def words(self) -> str:
        """One sentence."""
        each = "; ".join(f"{value} ({', '.join(titles)})" for value, titles in self.said)
        return f"{self.name}: sources disagree: {each}"


def newest(pages: Iterable[ImportedPage]) -> tuple[ImportedPage, ...]:
    """Of each source the entry that was recorded last, in the order in which the sources came in."""
    return tuple({page.source.sha256: page for page in pages}.values())


def conflicts(pages: Iterable[ImportedPage]) -> tuple[Conflict, ...]:
    """Every name with more than one value, by name. A page whose numbers were named later counts once, as it is now."""
    values: dict[str, dict[str, dict[str, None]]] = defaultdict(lambda: defaultdict(dict))
    for page in newest(pages):
        for piece in page.pieces:
            for quantity in piece.quantities:
                values[quantity.name][quantity.value][page.title] = None
    return tuple(
        Conflict(name, tuple((value, tuple(titles)) for value, titles in sorted(by_value.items())))
        for name, by_value in sorted(values.items())
        if len(by_value) > 1
    )
