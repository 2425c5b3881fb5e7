"""A ledger in one SQLite file, `records.db`, with its head file beside it."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from sqlalchemy import Connection, Engine, Table

from ledger import migrations, sqlite
from ledger.chain import Head
from ledger.errors import LedgerError, NoSuchError
from ledger.migrations.building import guard


@dataclass(frozen=True)
class SqliteFile:
    """See `database.Database`."""

    path: Path

    @property
    def said(self) -> str:
        """The path."""
        return str(self.path)

    @property
    def beside(self) -> Path:
        """The head file lies beside the database."""
        return self.path

    @property
    def file(self) -> Path:
        """The file."""
        return self.path

    def there(self) -> bool:
        """Whether there is such a file."""
        return self.path.exists()

    def refuse_absent(self, *, create: bool) -> None:
        """Raise LedgerError for a folder, and for a missing file unless it may be made."""
        if self.path.is_dir():
            raise NoSuchError(f"{self.path} is a folder; name the ledger's file")
        if not create and not self.path.exists():
            raise NoSuchError(f"there is no ledger at {self.path}; make one with create=True or name another file")

    def engine(self, *, create: bool = False) -> Engine:
        """For reading and writing."""
        return sqlite.open_engine(self.path, create=create)

    def reading_engine(self, *, exact: bool = False) -> Engine:
        """For reading only."""
        return sqlite.open_read_only(self.path, exact=exact)

    def set_up(self, engine: Engine) -> None:
        """A write-ahead log."""
        sqlite.use_wal(engine)

    def settle(self, connection: Connection) -> None:
        """Nothing: triggers are made with the tables, and a file knows no roles."""

    def writing(self, engine: Engine) -> AbstractContextManager[Connection]:
        """BEGIN IMMEDIATE to commit."""
        return sqlite.writing(engine)

    def session(self, engine: Engine) -> AbstractContextManager[Connection]:
        """One connection for several transactions."""
        return sqlite.session(engine)

    @contextmanager
    def transaction(self, connection: Connection) -> Iterator[None]:
        """BEGIN IMMEDIATE to commit, on a session's connection."""
        with connection.begin():
            yield

    def rewriting(self, engine: Engine) -> AbstractContextManager[Connection]:
        """The same: who may write the file may put guards aside; `verify` sees what came of it."""
        return sqlite.writing(engine)

    @contextmanager
    def claimed(self, name: str) -> Iterator[bool]:
        """Nobody on another machine can hold anything: a file is one machine's."""
        del name
        yield True

    def head_moved(self, connection: Connection, head: Head) -> None:
        """Nothing: the newest entry is read under the file's one lock."""

    def head_said(self, connection: Connection) -> None:
        """Nothing: a file keeps no head row."""

    def said_plainly(self) -> AbstractContextManager[None]:
        """SQLite's and the disk's words in one sentence."""
        return sqlite.said_plainly(self.path)

    def schema(self, connection: Connection) -> dict[tuple[str, str], str]:
        """Tables, indexes and triggers."""
        return sqlite.schema_of(connection)

    def expected_schema(self, number: int) -> dict[tuple[str, str], str]:
        """The schema of a ledger that has seen the migrations up to a number."""
        return expected_schema(number)

    def damage(self, connection: Connection) -> Sequence[str]:
        """What `quick_check` says."""
        return sqlite.damage(connection)

    @contextmanager
    def unguarded(self, connection: Connection, tables: Sequence[Table]) -> Iterator[None]:
        """Triggers go and come back in the caller's transaction, so that no other connection sees them gone."""
        names = {table.name for table in tables}
        for kind, name in sqlite.schema_of(connection):
            if kind == "trigger" and name.rpartition("_no_")[0] in names:
                connection.exec_driver_sql(f'DROP TRIGGER "{name}"')
        yield
        for table in tables:
            guard(connection, table)

    def forget(self, engine: Engine) -> None:
        """The write-ahead log is emptied; freed pages were overwritten with zeros when they were freed."""
        if not sqlite.empty_wal(engine):
            raise LedgerError(
                f"what was withheld is out for everybody who reads {self.path} from now on, but its old bytes still "
                "lie there, because another program reads the ledger; end that program and withhold the same again"
            )


@cache
def expected_schema(number: int) -> dict[tuple[str, str], str]:
    """What the migrations up to a number make in an empty file."""
    engine = sqlite.memory_engine()
    with sqlite.writing(engine) as connection:
        migrations.upgrade(connection, up_to=number)
        return sqlite.schema_of(connection)
