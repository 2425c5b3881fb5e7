"""Where a workspace's ledger is: a file of its folder, or a database by URL whose head file lies in the folder.

Commands ask this for the ledger, its verification and its rebuilding, so none of them knows which of the two it is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ledger.chain import Head
from ledger.copying import Copied, copy_ledger
from ledger.errors import LedgerError
from ledger.places import database_at, is_url
from ledger.rebuild import rebuild
from ledger.store import Ledger
from ledger.verify import Verification, verify

FILE = "records.db"  # of a workspace's folder; with a URL only its head file stands there
BY_NAME = "env:"  # begins a place that is the value of an environment variable, so that no password is typed


@dataclass(frozen=True)
class Records:
    """One workspace's ledger; nothing is opened before it is asked for."""

    place: Path | str  # a file, or a URL
    beside: Path  # the path whose head file belongs to it

    @classmethod
    def of(cls, folder: Path, url_env: str | None, environ: Mapping[str, str]) -> "Records":
        """The folder's file, or the URL in the variable of that name. Raises LedgerError where it holds none."""
        file = folder / FILE
        return cls(file if url_env is None else url_in(url_env, environ), file)

    @property
    def said(self) -> str:
        """How sentences name it; never with a password."""
        return database_at(self.place, self.beside).said

    @property
    def file(self) -> Path | None:
        """The file, none where it is a server's database."""
        return database_at(self.place, self.beside).file

    def there(self) -> bool:
        """Whether there is a ledger; asking makes none. Raises LedgerError where a server cannot be asked."""
        return database_at(self.place, self.beside).there()

    def open(self, actor: str) -> Ledger:
        """For reading and appending, made on first use. Raises LedgerError."""
        return Ledger.open(self.place, actor=actor, create=True, beside=self.beside)

    def verify(self, pinned: Sequence[Head] = ()) -> Verification:
        """Recompute everything. Raises LedgerError where there is no ledger."""
        return verify(self.place, pinned=pinned, beside=self.beside)

    def rebuild(self, actor: str) -> int:
        """Refill what is computed from entries; how many there are. Raises LedgerError."""
        return rebuild(self.place, actor=actor, beside=self.beside)

    def copy_to(self, place: Path | str) -> Copied:
        """A whole copy, verified, where nothing is yet. Raises LedgerError."""
        return copy_ledger(self.place, place)


def url_in(name: str, environ: Mapping[str, str]) -> str:
    """The database's URL that a variable holds. Raises LedgerError, whose sentence never shows it."""
    url = environ.get(name, "").strip()
    if not url:
        raise LedgerError(
            f"the environment variable {name!r}, which names the ledger's database, is not set; set it to "
            "postgresql://user@host/database?password_file=PATH"
        )
    if not is_url(url):
        raise LedgerError(f"the environment variable {name!r} holds no URL of a database; begin it with postgresql://")
    return url


def place_named(words: str, environ: Mapping[str, str]) -> Path | str:
    """What a person writes for a ledger: a file, a URL, or `env:NAME` for a URL in a variable. Raises LedgerError."""
    if words.startswith(BY_NAME):
        return url_in(words.removeprefix(BY_NAME), environ)
    return words if is_url(words) else Path(words)
