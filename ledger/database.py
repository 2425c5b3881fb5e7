"""What a ledger asks of a database, SQLite's file or PostgreSQL's server. One file each holds its words."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from sqlalchemy import Connection, Engine, Table

from ledger.chain import Head

SchemaKey = tuple[str, str]  # ("table" | "index" | "trigger" | ..., name)


class Database(Protocol):
    """Where a ledger lies. Nothing is opened before it is asked for."""

    @property
    def said(self) -> str:
        """How sentences name it; never with a password."""

    @property
    def beside(self) -> Path | None:
        """The path whose head file (`head_file.head_path`) belongs to it, none when none is kept."""

    @property
    def file(self) -> Path | None:
        """The file that further processes can read at the same time, none where a server is asked."""

    def there(self) -> bool:
        """Whether a ledger is there; asking makes nothing. Raises LedgerError where nobody answers."""

    def refuse_absent(self, *, create: bool) -> None:
        """Raise LedgerError where there is nothing to open and nothing may be made."""

    def engine(self, *, create: bool = False) -> Engine:
        """For reading and writing."""

    def reading_engine(self, *, exact: bool = False) -> Engine:
        """For reading only; with `exact`, text that is none is an error."""

    def set_up(self, engine: Engine) -> None:
        """What a database needs once before its tables are made."""

    def settle(self, connection: Connection) -> None:
        """What it needs after its tables were made: rights, its own guards. The caller holds the lock."""

    def writing(self, engine: Engine) -> AbstractContextManager[Connection]:
        """One write transaction that no other writer is in; durable when it ends well."""

    def session(self, engine: Engine) -> AbstractContextManager[Connection]:
        """One connection for several write transactions, one after the other."""

    def transaction(self, connection: Connection) -> AbstractContextManager[None]:
        """As `writing`, on a session's connection."""

    def rewriting(self, engine: Engine) -> AbstractContextManager[Connection]:
        """The same for somebody who may put guards aside: the owner."""

    def claimed(self, name: str) -> AbstractContextManager[bool]:
        """Hold a name for the length of the block, on every machine at once: whether nobody else held it.

        Where a ledger is a file, machines do not share it, and nobody else can.
        """

    def head_moved(self, connection: Connection, head: Head) -> None:
        """The newest entry is now this one; still inside the transaction that wrote it."""

    def head_said(self, connection: Connection) -> Head | None:
        """What the database itself keeps as the newest entry, none where it keeps no such thing."""

    def said_plainly(self) -> AbstractContextManager[None]:
        """Turn what the database or the disk says into a LedgerError of one sentence."""

    def schema(self, connection: Connection) -> dict[SchemaKey, str]:
        """Everything that somebody made, and how."""

    def expected_schema(self, number: int) -> dict[SchemaKey, str]:
        """The same for a ledger that has seen the migrations up to a number."""

    def damage(self, connection: Connection) -> Sequence[str]:
        """What the database itself finds wrong inside; empty when nothing."""

    def unguarded(self, connection: Connection, tables: Sequence[Table]) -> AbstractContextManager[None]:
        """The guards of these tables stand aside inside one transaction."""

    def forget(self, engine: Engine) -> None:
        """Overwrite what was taken out where old bytes may still lie: the log, free pages."""
