"""From what a person writes, a path or a URL, to the database it means. No other file chooses between the two."""

from pathlib import Path

from ledger.database import Database
from ledger.postgres import SCHEMES, PostgresServer
from ledger.sqlite_file import SqliteFile


def database_at(place: Path | str, beside: Path | None = None) -> Database:
    """The database at a path or URL; `beside` says where the head file of a URL's ledger lies."""
    if isinstance(place, str) and is_url(place):
        return PostgresServer(place, beside)
    return SqliteFile(Path(place))


def is_url(words: str) -> bool:
    """Whether words mean a server's database and not a file."""
    return words.partition(":")[0] in SCHEMES and ":" in words
