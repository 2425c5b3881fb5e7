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

import pg8000.dbapi

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

    def connect(self, database: str = "postgres", user: str = "owner") -> pg8000.dbapi.Connection:
        """A plain connection on which every statement stands alone."""
        connection = pg8000.dbapi.connect(user, host="127.0.0.1", port=self.port, database=database)
        connection.autocommit = True
        return connection

    def make(self, database: str) -> str:
        """A new empty database; its address."""
        connection = self.connect()
        try:
            connection.cursor().execute(f"CREATE DATABASE {database}")
        finally:
            connection.close()
        return self.url(database)


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
                process.send_signal(signal.SIGINT)  # at once; SIGTERM would wait for clients
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
        except (pg8000.dbapi.Error, OSError):
            time.sleep(0.05)
        else:
            return server
    raise RuntimeError((server.folder / "log").read_text())
