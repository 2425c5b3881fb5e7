"""Pure: file names of pages. Names from the ledger may be anything, so only plain characters of them are kept."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256

LONGEST_NAME = 60  # characters kept of a recorded name
MARK_DIGITS = 8  # of the hash that keeps names apart which look alike after cutting
PLAIN = re.compile(r"[^a-z0-9]+")


def file_name(kind: str, name: str) -> str:
    """The page's file; two different names never share one, on any file system."""
    plain = PLAIN.sub("-", name.lower()).strip("-")[:LONGEST_NAME]
    if plain != name:
        plain = f"{plain}-{sha256(name.encode(errors='surrogatepass')).hexdigest()[:MARK_DIGITS]}".lstrip("-")
    return f"{kind}-{plain}.html" if name else f"{kind}.html"


@dataclass(frozen=True)
class SiteLinks:
    """Addresses of the pages of one site, all in one folder."""

    known: frozenset[tuple[str, str]]

    @classmethod
    def of(cls, pages: Iterable[tuple[str, str]]) -> "SiteLinks":
        """For pages by kind and name."""
        return cls(frozenset(pages))

    def to(self, kind: str, name: str | None) -> str:
        """The page's file, empty where there is no such page."""
        return file_name(kind, name) if name is not None and (kind, name) in self.known else ""
