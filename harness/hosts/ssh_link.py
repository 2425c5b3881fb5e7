"""One ssh connection: commands, channels, forwarded ports. Keys, agent, known hosts and configuration are the user's.

asyncssh is the extra `ssh` and imported late. No password is asked for, taken or sent; an unknown or changed host key
is refused. It knows nothing of guardians and measurements.
"""

import asyncio
import shlex
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

from harness.account import introduce
from harness.hosts.connection import GuardianError
from ledger.extras import install

CONNECT_TIMEOUT_S = 20.0  # to a host that answers and a key that is accepted
KEEPALIVE_S = 5.0  # the other side is asked this often whether it is there
KEEPALIVES = 3  # and counts as lost after so many questions without an answer: 15 s, as the guardian's heartbeat
PROHIBITED = 1  # RFC 4254, 5.1: administratively prohibited


class UnreachableError(GuardianError):
    """The host cannot be reached over ssh; the message says what to do."""


@dataclass(frozen=True)
class Finished:
    """A command that ended there."""

    code: int | None
    out: bytes
    err: str


class Channel:
    """The two ends of an ssh channel, as a stream's: nothing is raised where the connection is lost, reading ends."""

    def __init__(self, reader: Any, writer: Any) -> None:
        self._reader, self._writer = reader, writer

    async def readline(self) -> bytes:
        """One line; empty when there will be no more."""
        try:
            return bytes(await self._reader.readline())
        except (_asyncssh().Error, OSError):
            return b""

    def write(self, data: bytes, /) -> None:
        """Send it; where the connection is gone, reading says so."""
        with suppress(OSError):
            self._writer.write(data)

    def close(self) -> None:
        """Begin to close."""
        self._writer.close()

    async def wait_closed(self) -> None:
        """Until it is closed."""
        await self._writer.wait_closed()


class SshLink:
    """A connection to one host. UnreachableError from any call says what is wrong."""

    def __init__(self, name: str, connection: Any) -> None:
        """Use `SshLink.open`."""
        self.name, self._connection = name, connection
        self._ports: dict[tuple[str, int], int] = {}  # address there -> port here

    @classmethod
    async def open(cls, name: str, config: Path | None = None) -> Self:
        """Connect; `config` stands for the user's own ssh configuration. Raises UnreachableError."""
        ssh = _asyncssh()
        introduce()  # it asks for the account's name again in a thread of its own, whoever logs in there
        user, _, address = name.rpartition("@")
        chosen = {"config": [str(config)]} if config else {}
        named = {"username": user} if user else {}
        try:
            options = ssh.SSHClientConnectionOptions(
                host=address,
                password_auth=False,
                kbdint_auth=False,
                host_based_auth=False,
                keepalive_interval=KEEPALIVE_S,
                keepalive_count_max=KEEPALIVES,
                **chosen,
                **named,
            )
            if options.known_hosts is None:
                raise UnreachableError(
                    f"your ssh configuration checks no host key of {name!r}; name a known hosts file"
                )
            async with asyncio.timeout(CONNECT_TIMEOUT_S):
                return cls(name, await ssh.connect(address, options=options))
        except TimeoutError as error:
            raise UnreachableError(f"{name!r} did not answer over ssh in {CONNECT_TIMEOUT_S:g} s") from error
        except (ssh.Error, OSError, ValueError) as error:  # ValueError: a key or a configuration that is none
            raise UnreachableError(_sentence(ssh, name, error)) from error

    async def run(self, argv: tuple[str, ...], stdin: bytes, timeout_s: float) -> Finished:
        """Run a command to its end. The words are quoted for the login's shell."""
        ssh = _asyncssh()
        try:
            process = await self._connection.create_process(shlex.join(argv), encoding=None)
            with suppress(ssh.Error, OSError):  # one that ends before it has read everything has its own words
                process.stdin.write(stdin)
                process.stdin.write_eof()
            done = await process.wait(check=False, timeout=timeout_s)
        except TimeoutError as error:
            raise UnreachableError(f"{argv[0]!r} on {self.name!r} did not end in {timeout_s:g} s") from error
        except (ssh.Error, OSError) as error:
            raise UnreachableError(f"{self.name!r} cannot run {argv[0]!r} over ssh ({error})") from error
        return Finished(done.exit_status, done.stdout or b"", (done.stderr or b"").decode(errors="replace").strip())

    async def process(self, argv: tuple[str, ...]) -> Channel:
        """Start a command that is talked to; it sees its input end when the connection does."""
        ssh = _asyncssh()
        try:
            process = await self._connection.create_process(shlex.join(argv), encoding=None, stderr=ssh.DEVNULL)
        except (ssh.Error, OSError) as error:
            raise UnreachableError(f"{self.name!r} cannot run {argv[0]!r} over ssh ({error})") from error
        return Channel(process.stdout, process.stdin)

    async def socket(self, path: str) -> Channel:
        """Connect to a unix socket there. Raises ConnectionRefusedError where nobody listens, or sshd forbids it."""
        ssh = _asyncssh()
        try:
            return Channel(*await self._connection.open_unix_connection(path))
        except ssh.ChannelOpenError as error:
            if self._connection.is_closed():
                raise UnreachableError(f"the ssh connection to {self.name!r} is gone ({error})") from error
            raise ConnectionRefusedError(str(error)) from error
        except (ssh.Error, OSError) as error:
            raise UnreachableError(f"the ssh connection to {self.name!r} is gone ({error})") from error

    async def reach(self, url: str) -> str:
        """The address here of a server there, over a forwarded port of 127.0.0.1."""
        parts = urlsplit(url)
        there = (parts.hostname or "127.0.0.1", parts.port or 80)
        if there not in self._ports:
            self._ports[there] = await self._forwarded(*there)
        return parts._replace(netloc=f"127.0.0.1:{self._ports[there]}").geturl()

    async def _forwarded(self, host: str, port: int) -> int:
        ssh = _asyncssh()
        try:
            _, writer = await self._connection.open_connection(host, port)
            writer.close()
        except ssh.ChannelOpenError as error:
            if error.code == PROHIBITED:
                said = f"sshd on {self.name!r} allows no forwarding to ports"
                raise UnreachableError(f"{said}; set AllowTcpForwarding for this login") from error
        except (ssh.Error, OSError) as error:
            raise UnreachableError(f"the ssh connection to {self.name!r} is gone ({error})") from error
        listener = await self._connection.forward_local_port("127.0.0.1", 0, host, port)
        return int(listener.get_port())

    async def close(self) -> None:
        """Close it and all that goes over it."""
        self._connection.close()
        await self._connection.wait_closed()


def _asyncssh() -> Any:
    try:
        import asyncssh  # noqa: PLC0415 - optional
    except ImportError as error:
        raise UnreachableError(f"a target on another machine needs asyncssh; {install('ssh')}") from error
    return asyncssh


def _sentence(ssh: Any, name: str, error: Exception) -> str:
    """Why there is no connection and what to do, without anything secret."""
    if isinstance(error, ssh.HostKeyNotVerifiable):
        return (
            f"the host key of {name!r} is not the one in your known hosts file, or none is there ({error}); nothing "
            "was sent. Compare its fingerprint with its keeper's, then put it there"
        )
    if isinstance(error, ssh.PermissionDenied):
        return (
            f"{name!r} accepts none of your keys ({error}); load the right one into your agent or name it as "
            "IdentityFile in your ssh configuration. Passwords are not used"
        )
    if isinstance(error, OSError):
        return f"{name!r} cannot be reached over ssh ({error}); check its entry in your ssh configuration"
    return f"{name!r} cannot be reached over ssh ({error}); check that 'ssh {name}' works without a password"
