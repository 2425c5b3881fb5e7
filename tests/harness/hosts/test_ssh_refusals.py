"""What keeps a connection from being made, each in a sentence that says what to do; against a server in here."""

import asyncio
import getpass
import os
import pwd
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncssh
import pytest

from harness.account import NAMED_BY
from harness.hosts.ssh import SshHost
from harness.hosts.ssh_link import SshLink, UnreachableError
from harness.vocabulary.target import OtherHost

NAME = "bench-host"
NOT_THE_ONE = "the host key of 'bench-host' is not the one in your known hosts file, or none is there"


@dataclass
class Host:
    """A server's client configuration, and what was tried on it."""

    config: Path
    known_hosts: Path
    authorized_keys: Path
    tried: list[str]

    def change(self, old: str, new: str) -> None:
        """Another client configuration."""
        self.config.write_text(self.config.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")


def public(key: Any) -> str:
    """One line of a file of keys."""
    return str(key.export_public_key().decode().strip())


class Server(asyncssh.SSHServer):
    """Takes one key, and any password, so that one that is sent is seen."""

    def __init__(self, keys: Path, tried: list[str]) -> None:
        self.keys, self.tried = keys, tried

    def begin_auth(self, username: str) -> bool:
        return True

    def public_key_auth_supported(self) -> bool:
        return True

    def validate_public_key(self, username: str, key: Any) -> bool:
        self.tried.append("public key")
        return public(key) in self.keys.read_text(encoding="utf-8")

    def password_auth_supported(self) -> bool:
        return True

    def validate_password(self, username: str, password: str) -> bool:
        self.tried.append("password")
        return True


@asynccontextmanager
async def a_host(folder: Path, answer: str = "") -> AsyncIterator[Host]:
    """A server on a free port that answers any command with the same words."""
    host_key, user_key = (asyncssh.generate_private_key("ssh-ed25519") for _ in range(2))
    keys = folder / "authorized_keys"
    keys.write_text(public(user_key) + "\n", encoding="utf-8")
    tried: list[str] = []

    def handle(process: Any) -> None:
        process.stdout.write(answer)
        process.exit(0)

    async with await asyncssh.listen(
        "127.0.0.1", 0, server_factory=lambda: Server(keys, tried), server_host_keys=[host_key], process_factory=handle
    ) as server:
        port = server.get_port()
        (folder / "user_key").write_bytes(user_key.export_private_key())
        (folder / "user_key").chmod(0o600)
        known = folder / "known_hosts"
        known.write_text(f"[127.0.0.1]:{port} {public(host_key)}\n", encoding="utf-8")
        lines = (
            *(f"Host {NAME}", "HostName 127.0.0.1", f"Port {port}", f"User {getpass.getuser()}"),
            *(f"IdentityFile {folder / 'user_key'}", "IdentitiesOnly yes", f"UserKnownHostsFile {known}", ""),
        )
        (folder / "config").write_text("\n".join(lines), encoding="utf-8")
        yield Host(folder / "config", known, keys, tried)


async def refused(host: Host) -> str:
    """Why no connection was made."""
    try:
        link = await SshLink.open(NAME, host.config)
    except UnreachableError as error:
        return str(error)
    await link.close()
    return "a connection was made"


async def test_a_known_host_with_an_accepted_key_is_reached(tmp_path: Path) -> None:
    async with a_host(tmp_path, "hello\n") as host:
        link = await SshLink.open(NAME, host.config)
        assert (await link.run(("anything",), b"", 20)).out == b"hello\n"
        await link.close()
        assert set(host.tried) == {"public key"}


async def test_an_account_that_no_list_and_no_variable_names_reaches_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As with `docker run --user 12345`; the login there is the one that the configuration names."""

    def unlisted(uid: int) -> None:
        raise KeyError(f"getpwuid(): uid not found: {uid}")

    async with a_host(tmp_path, "hello\n") as host:
        for name in NAMED_BY:
            monkeypatch.setenv(name, "")
        monkeypatch.setattr(pwd, "getpwuid", unlisted)
        assert await refused(host) == "a connection was made"
        assert os.environ["LOGNAME"] == f"uid-{os.getuid()}"


async def test_an_unknown_and_a_changed_host_key_are_refused(tmp_path: Path) -> None:
    async with a_host(tmp_path) as host:
        name = host.known_hosts.read_text(encoding="utf-8").split()[0]
        for known in ("", f"{name} {public(asyncssh.generate_private_key('ssh-ed25519'))}\n"):
            host.known_hosts.write_text(known, encoding="utf-8")
            said = await refused(host)
            assert said.startswith(NOT_THE_ONE)
            assert said.endswith("Compare its fingerprint with its keeper's, then put it there")
            assert host.known_hosts.read_text(encoding="utf-8") == known
        assert host.tried == []


async def test_a_configuration_that_checks_no_host_key_is_refused(tmp_path: Path) -> None:
    async with a_host(tmp_path) as host:
        host.change(str(host.known_hosts), "none")
        assert await refused(host) == (
            "your ssh configuration checks no host key of 'bench-host'; name a known hosts file"
        )
        assert host.tried == []


async def test_a_key_that_is_not_accepted_is_said_and_no_password_is_tried(tmp_path: Path) -> None:
    async with a_host(tmp_path) as host:
        host.authorized_keys.write_text("", encoding="utf-8")
        said = await refused(host)
        assert said.startswith("'bench-host' accepts none of your keys (") and said.endswith("Passwords are not used")
        assert set(host.tried) == {"public key"}


async def test_a_host_that_is_not_there_is_said(tmp_path: Path) -> None:
    async with a_host(tmp_path) as host:
        pass
    said = await refused(host)
    assert said.startswith("'bench-host' cannot be reached over ssh (") and "Connect call failed" in said
    assert said.endswith("check its entry in your ssh configuration")


async def test_a_configuration_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    async with a_host(tmp_path) as host:
        host.change("Port ", "Port x")
        said = await refused(host)
    assert said.startswith("'bench-host' cannot be reached over ssh (")
    assert said.endswith("check that 'ssh bench-host' works without a password")


async def test_without_the_extra_it_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "asyncssh", None)
    with pytest.raises(UnreachableError, match=r"needs asyncssh; install the extra 'ssh': `make"):
        await SshLink.open(NAME)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("python3: not found\n", "'python3' does not run there (it ended with 0)"),
        ('{"error": "its Python 3.9 is older than 3.11"}\n', "its Python 3.9 is older than 3.11"),
        ('{"code": "/c", "folder": "/f"}\n', "the far end on 'bench-host' did not start; see whether its disk is full"),
    ],
)
async def test_a_host_on_which_nothing_can_be_started_is_said(tmp_path: Path, answer: str, said: str) -> None:
    async with a_host(tmp_path, answer) as host:
        with pytest.raises(UnreachableError) as caught:
            async with asyncio.timeout(20):
                await SshHost.open(OtherHost(ssh=NAME), "small", host.config)
    assert said in str(caught.value)
