"""The words of PostgreSQL: addresses, transactions, rights, its list of the schema, and its errors in one sentence.

Append-only twice over: triggers refuse UPDATE, DELETE and TRUNCATE for everybody, and entries are written as a role
that holds no such right. An append locks the one row of table `head` first, so that writers queue.
"""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from sqlalchemy import URL, Connection, Engine, NullPool, Pool, QueuePool, Table, create_engine, inspect, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError

from ledger import postgres_schema as schema
from ledger.chain import Head
from ledger.errors import LedgerError
from ledger.extras import install
from ledger.migrations.building import guard, guard_names

SCHEMES = ("postgresql", "postgres")
DRIVER = "postgresql+pg8000"
LOCK_TIMEOUT_S = 30  # as for SQLite: another writer holds the lock for milliseconds; for a large blob, for seconds
KEPT_ALIVE = {  # seconds, and how often: a machine that fell dead gives up what it held after a minute, not two hours
    "tcp_keepalives_idle": 30,
    "tcp_keepalives_interval": 10,
    "tcp_keepalives_count": 3,
}
FIRST_LOCK = 0x1ED6E2  # an advisory lock, for as long as there is no head row to lock


@dataclass(frozen=True)
class PostgresServer:
    """See `database.Database`. `?password_file=PATH` in the URL names a file that holds the password."""

    url: str
    head_beside: Path | None = None

    @cached_property
    def _address(self) -> URL:
        try:
            url = make_url(self.url)
        except ArgumentError as error:
            raise LedgerError("that is no URL; write postgresql://user@host/database") from error
        where = url.query.get("password_file")
        if isinstance(where, str):
            try:
                password = Path(where).read_text(encoding="utf-8").strip()
            except (OSError, ValueError) as error:
                raise LedgerError(f"password file {where!r} cannot be read; check the path and its rights") from error
            url = url.set(password=password).difference_update_query(["password_file"])
        return url.set(drivername=DRIVER)

    @property
    def said(self) -> str:
        """The URL, its password hidden."""
        return self._address.set(drivername="postgresql").render_as_string(hide_password=True)

    @property
    def beside(self) -> Path | None:
        """The head file lies with whoever writes."""
        return self.head_beside

    @property
    def file(self) -> None:
        """A server is asked, nobody reads its files."""
        return

    def there(self) -> bool:
        """Whether the database has any table; what is in it shows when it is opened."""
        with self.said_plainly(), self._engine(NullPool).connect() as connection:
            return bool(inspect(connection).get_table_names())

    def refuse_absent(self, *, create: bool) -> None:
        """Nothing: a server that is not there says so when it is asked."""

    def engine(self, *, create: bool = False) -> Engine:
        """For reading and writing. Raises LedgerError where the driver is not installed."""
        return self._engine(QueuePool)

    def _engine(self, pool: type[Pool]) -> Engine:
        try:
            return create_engine(self._address, poolclass=pool)
        except (ImportError, NoSuchModuleError) as error:
            raise LedgerError(f"a ledger on PostgreSQL needs pg8000; {install('postgres')}") from error

    def reading_engine(self, *, exact: bool = False) -> Engine:
        """One unchanging view of the database for as long as a connection is open."""
        return self._engine(NullPool).execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)

    def set_up(self, engine: Engine) -> None:
        """Refuse a server that does not keep what it confirmed."""
        with engine.connect() as connection:
            if connection.exec_driver_sql("SHOW fsync").scalar() != "on":
                raise LedgerError(f"{self.said} runs with fsync off, so nothing it confirms is durable; turn it on")

    def settle(self, connection: Connection) -> None:
        """The head row, the appending role and its rights."""
        schema.settle(connection)

    @contextmanager
    def writing(self, engine: Engine) -> Iterator[Connection]:
        """As the appending role, with the head row locked."""
        with self.session(engine) as connection, self.transaction(connection):
            yield connection

    def session(self, engine: Engine) -> AbstractContextManager[Connection]:
        """One connection for several transactions."""
        return engine.connect()

    @contextmanager
    def transaction(self, connection: Connection) -> Iterator[None]:
        """As the appending role, with the head row locked, on a session's connection."""
        with connection.begin():
            connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT_S}s'")
            connection.exec_driver_sql("SET LOCAL synchronous_commit = on")
            connection.exec_driver_sql(f"SET LOCAL ROLE {schema.ROLE}")
            connection.exec_driver_sql("SELECT seq FROM head FOR UPDATE")
            yield

    @contextmanager
    def rewriting(self, engine: Engine) -> Iterator[Connection]:
        """As the owner, with the head row locked where there is one."""
        with engine.connect() as connection, connection.begin():
            connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT_S}s'")
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({FIRST_LOCK})")
            if schema.has_head(connection):
                connection.exec_driver_sql("SELECT seq FROM head FOR UPDATE")
            yield connection

    @contextmanager
    def claimed(self, name: str) -> Iterator[bool]:
        """By an advisory lock of a connection of its own, which the server takes back however its client ends."""
        key = int.from_bytes(sha256(name.encode()).digest()[:8], "big", signed=True)
        with ExitStack() as stack:
            with self.said_plainly():
                connection = stack.enter_context(self._engine(NullPool).connect())
                connection = connection.execution_options(isolation_level="AUTOCOMMIT")
                for setting, value in KEPT_ALIVE.items():
                    connection.exec_driver_sql(f"SET {setting} = {value}")
                free = bool(connection.exec_driver_sql("SELECT pg_try_advisory_lock(%s)", (key,)).scalar())
            try:
                yield free
            finally:
                with suppress(DBAPIError, OSError):  # a lost connection holds nothing any more
                    connection.exec_driver_sql("SELECT pg_advisory_unlock_all()")

    def head_moved(self, connection: Connection, head: Head) -> None:
        """The head row follows; a trigger lets it only go forward."""
        connection.exec_driver_sql("UPDATE head SET seq = %s, id = %s", (head.seq, head.id))

    def head_said(self, connection: Connection) -> Head | None:
        """What the head row says."""
        row = connection.exec_driver_sql("SELECT seq, id FROM head").one_or_none()
        return None if row is None else Head(row[0], row[1])

    @contextmanager
    def said_plainly(self) -> Iterator[None]:
        """The server's words in one sentence."""
        try:
            yield
        except (DBAPIError, OSError) as error:
            raise LedgerError(self._sentence(error)) from error

    def _sentence(self, error: DBAPIError | OSError) -> str:
        code, said = schema.words_of(error)
        return f"{self.said} {schema.ADVICE.get(code, 'cannot be used')} ({said})"

    def schema(self, connection: Connection) -> dict[tuple[str, str], str]:
        """Tables, indexes, triggers, functions and rights, described alike for every version of the server."""
        return schema.found(connection)

    def expected_schema(self, number: int) -> dict[tuple[str, str], str]:
        """The same, from what the migrations make."""
        return schema.expected(number)

    def damage(self, connection: Connection) -> Sequence[str]:
        """Nothing of its own: a page that cannot be read is an error when it is read."""
        return ()

    @contextmanager
    def unguarded(self, connection: Connection, tables: Sequence[Table]) -> Iterator[None]:
        """Guards go and come back in the caller's transaction, which locks these tables for all others."""
        for table in tables:
            for name in guard_names(connection, table):
                connection.exec_driver_sql(f"DROP TRIGGER IF EXISTS {name} ON {table.name}")
        yield
        for table in tables:
            guard(connection, table)

    def forget(self, engine: Engine) -> None:
        """Tables are written anew without the rows that were taken out; the server's log and backups are its own."""
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            tables = ", ".join(f'"{name}"' for name in inspect(connection).get_table_names())
            connection.exec_driver_sql(f"VACUUM FULL {tables}")
