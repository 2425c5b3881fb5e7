"""What keeps a connection from being made, each in a sentence that says what to do. Nothing is sent before."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.hosts.ssh_link import SshLink, UnreachableError
from tests.harness.hosts.sshd import NAME, WAIT_S, Sshd, a_sshd

pytestmark = pytest.mark.system


@pytest.fixture
def sshd(tmp_path: Path) -> Iterator[Sshd]:
    with a_sshd(tmp_path / "sshd") as made:
        yield made


async def refused(sshd: Sshd) -> str:
    """Why no connection was made."""
    try:
        link = await SshLink.open(NAME, sshd.config)
    except UnreachableError as error:
        return str(error)
    await link.close()
    return "a connection was made"


async def test_a_command_runs_with_its_words_as_they_are(sshd: Sshd) -> None:
    link = await SshLink.open(NAME, sshd.config)
    try:
        words = ("a b", "$HOME", "it's", '"x"', "*", "")
        done = await link.run((sys.executable, "-c", "import sys; print(sys.argv[1:])", *words), b"", WAIT_S)
        assert (done.code, done.out.decode(), done.err) == (0, f"{list(words)}\n", "")
        echoed = await link.run(("cat",), b"\x00\xff\n", WAIT_S)
        assert echoed.out == b"\x00\xff\n"
        with pytest.raises(UnreachableError, match=r"'sleep' on 'bench-host' did not end in 0\.2 s"):
            await link.run(("sleep", "60"), b"", 0.2)
    finally:
        await link.close()


async def test_an_unknown_host_key_is_refused(sshd: Sshd) -> None:
    sshd.known_hosts.write_text("", encoding="utf-8")
    said = await refused(sshd)
    assert said.startswith("the host key of 'bench-host' is not the one in your known hosts file, or none is there")
    assert said.endswith("Compare its fingerprint with its keeper's, then put it there")
    assert sshd.known_hosts.read_text(encoding="utf-8") == ""


async def test_a_changed_host_key_is_refused(sshd: Sshd) -> None:
    other = sshd.folder / "other_key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(other)], check=True, timeout=WAIT_S)
    public = other.with_suffix(".pub").read_text(encoding="utf-8")
    sshd.known_hosts.write_text(f"[127.0.0.1]:{sshd.port} {public}", encoding="utf-8")
    assert "is not the one in your known hosts file" in await refused(sshd)


async def test_a_configuration_that_checks_no_host_key_is_refused(sshd: Sshd) -> None:
    lines = sshd.config.read_text(encoding="utf-8").replace(str(sshd.known_hosts), "none")
    sshd.config.write_text(lines, encoding="utf-8")
    assert await refused(sshd) == ("your ssh configuration checks no host key of 'bench-host'; name a known hosts file")


async def test_a_key_that_is_not_accepted_is_said_and_no_password_is_tried(sshd: Sshd) -> None:
    (sshd.folder / "authorized_keys").write_text("", encoding="utf-8")
    said = await refused(sshd)
    assert said.startswith("'bench-host' accepts none of your keys (") and said.endswith("Passwords are not used")
    assert "password" not in (sshd.folder / "sshd.log").read_text(encoding="utf-8").lower()


async def test_a_key_that_cannot_be_read_is_said(sshd: Sshd) -> None:
    (sshd.folder / "user_key").write_text("no key\n", encoding="utf-8")
    said = await refused(sshd)
    assert "'bench-host'" in said and ("accepts none of your keys" in said or "works without a password" in said)


async def test_a_host_that_is_not_there_is_said(sshd: Sshd) -> None:
    lines = sshd.config.read_text(encoding="utf-8").replace(f"Port {sshd.port}", "Port 1")
    sshd.config.write_text(lines, encoding="utf-8")
    said = await refused(sshd)
    assert said.startswith("'bench-host' cannot be reached over ssh (") and "Connect call failed" in said
    assert said.endswith("check its entry in your ssh configuration")


async def test_without_the_extra_it_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "asyncssh", None)
    with pytest.raises(UnreachableError, match=r"needs asyncssh; install the extra 'ssh': `make"):
        await SshLink.open(NAME)


async def test_forwarding_that_sshd_prohibits_is_named(tmp_path: Path) -> None:
    with a_sshd(tmp_path / "sshd", "AllowTcpForwarding no") as sshd:
        link = await SshLink.open(NAME, sshd.config)
        try:
            with pytest.raises(UnreachableError, match="allows no forwarding to ports; set AllowTcpForwarding"):
                await link.reach("http://127.0.0.1:9/x")
        finally:
            await link.close()


async def test_a_socket_where_nobody_listens_and_a_lost_connection(sshd: Sshd) -> None:
    link = await SshLink.open(NAME, sshd.config)
    try:
        with pytest.raises(ConnectionRefusedError):
            await link.socket(str(sshd.folder / "no.sock"))
        channel = await link.process(("cat",))
        channel.write(b"one\n")
        assert await channel.readline() == b"one\n"
        assert sshd.cut() > 0
        assert await channel.readline() == b""
        channel.write(b"two\n")
        with pytest.raises(UnreachableError):
            await link.socket("/nowhere")
        with pytest.raises(UnreachableError):
            await link.run(("true",), b"", WAIT_S)
    finally:
        await link.close()
