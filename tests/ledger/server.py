"""A PostgreSQL server of the test's own: in a temporary folder, on a free port, as an unprivileged user."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

START_LIMIT_S = 60
NOBODY = "nobody"  # PostgreSQL refuses to run as root


@dataclass(frozen=True)
class Server:
    """A running server."""

    port: int
    folder: Path

    def url(self, database: str, user: str = "owner") -> str:
        """The address of one of its databases."""
        return f"postgresql://{user}@127.0.0.1:{self.port}/{database}"

    def connect(self, database: str = "postgres", user: str = "owner") -> Any:
        """A plain connection of the driver, on which every statement stands alone."""
        import pg8000.dbapi

        connection = pg8000.dbapi.connect(user, host="127.0.0.1", port=self.port, database=database)
        connection.autocommit = True
        return connection

    def run(self, database: str, *statements: str, user: str = "owner") -> list[Any]:
        """Each statement by itself; the rows of the last one."""
        connection = self.connect(database, user)
        try:
            cursor = connection.cursor()
            for statement in statements:
                cursor.execute(statement)
            return list(cursor.fetchall()) if cursor.description else []
        finally:
            connection.close()

    def make(self, database: str) -> str:
        """A new empty database; its address."""
        self.run("postgres", f"CREATE DATABASE {database}")
        return self.url(database)

    def copy(self, source: str, database: str) -> str:
        """A new database with everything that another one holds, to which nobody is connected."""
        left = f"SELECT COUNT(*) FROM pg_stat_activity WHERE datname = '{source}'"  # noqa: S608
        until = time.monotonic() + START_LIMIT_S
        while self.run("postgres", left)[0][0] and time.monotonic() < until:
            time.sleep(0.02)  # a session ends a moment after its client has gone
        self.run("postgres", f"CREATE DATABASE {database} TEMPLATE {source}")
        return self.url(database)

    def tamper(self, database: str, *statements: str) -> None:
        """As somebody who may do anything: guards and foreign keys out of the way, and back at the end."""
        tables = [row[0] for row in self.run(database, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'")]
        off = [f"ALTER TABLE {table} DISABLE TRIGGER ALL" for table in tables]
        on = [f"ALTER TABLE {table} ENABLE TRIGGER ALL" for table in tables]
        names = self.run(database, "SELECT tgrelid::regclass::text, tgname FROM pg_trigger WHERE NOT tgisinternal")
        always = [f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER {name}" for table, name in names]
        self.run(database, "BEGIN", *off, *statements, *on, *always, "COMMIT")


@contextmanager
def running_server() -> Iterator[Server]:
    """Started and stopped here. Raises FileNotFoundError where PostgreSQL is not installed."""
    program = _programs()
    folder = Path(tempfile.mkdtemp(prefix="ledger-server-"))
    try:
        if os.getuid() == 0:
            nobody = pwd.getpwnam(NOBODY)
            os.chown(folder, nobody.pw_uid, nobody.pw_gid)
        data, port = folder / "data", _free_port()
        options = ("--username=owner", "--auth=trust", "--encoding=UTF8", "--no-locale", "--no-instructions")
        made = [*_unprivileged(), str(program / "initdb"), "-D", str(data), *options]
        subprocess.run(made, check=True, capture_output=True, cwd=folder)
        settings = ("-c", "listen_addresses=127.0.0.1", "-c", "max_connections=60", "-k", str(folder), "-p", str(port))
        argv = [*_unprivileged(), str(program / "postgres"), "-D", str(data), *settings]
        with (
            (folder / "log").open("wb") as log,
            subprocess.Popen(argv, stdout=log, stderr=log, cwd=folder) as process,
        ):
            try:
                yield _ready(Server(port, folder), process)
            finally:
                process.send_signal(signal.SIGQUIT)  # at once; its files are thrown away
                process.wait(START_LIMIT_S)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _programs() -> Path:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not found:
        raise FileNotFoundError("PostgreSQL is not installed; on Debian: apt-get install postgresql")
    return found[-1].parent


def _unprivileged() -> tuple[str, ...]:
    """What a command begins with so that it does not run as root."""
    return ("setpriv", "--reuid", NOBODY, "--regid", "nogroup", "--clear-groups") if os.getuid() == 0 else ()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _ready(server: Server, process: "subprocess.Popen[bytes]") -> Server:
    until = time.monotonic() + START_LIMIT_S
    while time.monotonic() < until and process.poll() is None:
        try:
            server.connect().close()
        except Exception as error:
            if type(error).__module__.partition(".")[0] not in ("pg8000", "builtins"):
                raise
            time.sleep(0.05)
        else:
            return server
    raise RuntimeError((server.folder / "log").read_text())
