"""The proof that the process which answers is the one that was started."""

import os
import socket
import sys
from pathlib import Path

import pytest

from harness.gates.base import held
from harness.gates.ready import dialled, prove_alias, prove_process, wait_ready
from harness.hosts.base import Held, ServerSpec
from harness.vocabulary.outcome import GateName, Reason
from harness.vocabulary.target import Ready
from tests.harness.direct_host import DirectHost

LISTENS_LATER = 'import socket, time; time.sleep(0.5); s = socket.create_server(("127.0.0.1", {port})); time.sleep(30)'
SAYS = "echo 'listening on http://127.0.0.1:1 at last'; exec sleep 30"


async def started(host: DirectHost, script: str) -> Held:
    spec = ServerSpec("s", ("/bin/sh", "-c", script), (("PATH", "/bin:/usr/bin"),), Path("/"), "x", 5, 1)
    server = await host.start(spec)
    assert isinstance(server, Held)
    return server


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://127.0.0.1", "names no port"),
        ("http://127.0.0.1:99999999", "names no port"),
        ("nonsense", "names no port"),
        ("http://:80", "names no port"),
        ("http://[::1:80", "names no port"),
        ("http://203.0.113.9:1", "another host"),
        ("http://evil.example:1", "another host"),
        ("http://127.0.0.1:1@evil.example:2", "another host"),
        ("http://127.0.0.1:1", "nothing listens on port 1"),
    ],
)
async def test_an_address_that_proves_nothing_is_the_wrong_process(tmp_path: Path, url: str, words: str) -> None:
    host = DirectHost(tmp_path)
    server = await started(host, "exec sleep 30")
    outcome = await prove_process(host, server, url, "127.0.0.1")
    await host.stop(server, 1)
    assert (outcome.passed, outcome.reason) == (False, Reason.WRONG_PROCESS)
    assert words in outcome.evidence


async def test_a_port_that_this_test_holds_is_not_the_servers(tmp_path: Path) -> None:
    host = DirectHost(tmp_path)
    server = await started(host, "exec sleep 30")
    with socket.create_server(("127.0.0.1", 0)) as other:
        outcome = await prove_process(host, server, f"http://127.0.0.1:{other.getsockname()[1]}", "127.0.0.1")
    await host.stop(server, 1)
    assert outcome.reason is Reason.STALE_SERVER and f"pid {os.getpid()} (" in outcome.evidence


@pytest.mark.parametrize(("given", "reason"), [(0, Reason.STALE_SERVER), (2, Reason.READY_ELSEWHERE)])
async def test_a_ready_line_that_leads_to_another_server_is_no_server_left_on_the_port(
    tmp_path: Path, given: int, reason: Reason
) -> None:
    host = DirectHost(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as other:
        url = f"http://127.0.0.1:{other.getsockname()[1]}"
        server = await started(host, f"echo listening on {url}; exec sleep 30")
        ready = Ready(pattern=r"listening on (?P<url>\S+)", timeout_s=20)
        start = await wait_ready(host, server, ready, f"http://127.0.0.1:{given or other.getsockname()[1]}")
        await host.stop(server, 1)
    assert start.gate.reason is reason
    assert ("it was given port 2 and its ready line leads elsewhere" in start.gate.evidence) is (given == 2)


@pytest.mark.parametrize("says", ["", "print('listening on http://127.0.0.1:{port}', flush=True); "])
async def test_a_server_that_takes_the_users_port_is_given_up_at_once(tmp_path: Path, says: str) -> None:
    """A script that does not pass its port on would have users answered by an experiment."""
    host = DirectHost(tmp_path)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    code = (
        f"import socket, time; s = socket.create_server(('127.0.0.1', {port})); {says.format(port=port)}time.sleep(30)"
    )
    server = await started(host, f'exec {sys.executable} -c "{code}"')
    ready = Ready(pattern=r"listening on (?P<url>\S+)", timeout_s=20)
    start = await wait_ready(host, server, ready, "http://127.0.0.1:2", users_port=port)
    await host.stop(server, 1)
    assert start.gate.reason is Reason.ON_USERS_PORT and start.base_url is None
    assert f"it listens on port {port}, where production's users ask" in start.gate.evidence


async def test_a_pattern_without_an_address_takes_the_place_that_was_given(tmp_path: Path) -> None:
    host = DirectHost(tmp_path)
    server = await started(host, SAYS)
    start = await wait_ready(host, server, Ready(pattern="at last", timeout_s=0.3), "http://127.0.0.1:2")
    await host.stop(server, 1)
    assert start.base_url is None and start.ready_s is not None
    assert "port 2" in start.gate.evidence


@pytest.mark.parametrize("named", ["127.0.0.1", "0.0.0.0", "[::]", "*", "localhost", "127.8.8.8"])
async def test_the_targets_own_host_is_dialled_with_the_port_that_was_proven(tmp_path: Path, named: str) -> None:
    class Ours(DirectHost):
        async def pids(self, held: Held) -> tuple[int, ...]:
            """The socket is this test's own."""
            return (os.getpid(),)

    host = Ours(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as own:
        port = own.getsockname()[1]
        server = await started(host, f"echo 'listening on http://{named}:{port}/v1/'; exec sleep 30")
        ready = Ready(pattern=r"listening on (?P<url>http://\S+)", timeout_s=5)
        start = await wait_ready(host, server, ready, "http://127.0.0.1:0")
        await host.stop(server, 1)
    assert start.gate.passed and start.base_url == f"http://127.0.0.1:{port}/v1"


async def test_a_ready_line_before_the_port_listens_is_waited_for(tmp_path: Path) -> None:
    host = DirectHost(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    script = f"echo 'KV cache size'; exec {sys.executable} -c '{LISTENS_LATER.format(port=port)}'"
    server = await started(host, script)
    start = await wait_ready(host, server, Ready(pattern="KV cache size", timeout_s=10), f"http://127.0.0.1:{port}")
    await host.stop(server, 1)
    assert start.gate.passed and start.base_url == f"http://127.0.0.1:{port}"
    assert start.ready_s is not None and start.ready_s > 0.3


async def test_another_hosts_address_in_the_log_is_never_dialled(tmp_path: Path) -> None:
    host = DirectHost(tmp_path)
    server = await started(host, "echo 'listening on http://203.0.113.9:80'; exec sleep 30")
    ready = Ready(pattern=r"listening on (?P<url>http://\S+)", timeout_s=5)
    start = await wait_ready(host, server, ready, "http://127.0.0.1:0")
    await host.stop(server, 1)
    assert (start.gate.reason, start.base_url) == (Reason.WRONG_PROCESS, None)


def test_an_address_of_the_sixth_version_is_put_in_brackets() -> None:
    assert dialled("http://[::]:80", "::1") == "http://[::1]:80"
    with pytest.raises(ValueError, match="never proven"):
        dialled("nonsense", "::1")


async def test_a_server_that_ends_after_its_ready_line_is_a_refused_start(tmp_path: Path) -> None:
    host = DirectHost(tmp_path)
    server = await started(host, "echo listening; echo 'ERROR: no blocks left'")
    host.started[server.pid].wait(5)
    start = await wait_ready(host, server, Ready(pattern="listening", timeout_s=5), "http://127.0.0.1:2")
    assert (start.gate.reason, start.gate.evidence) == (Reason.START_REFUSED, "ERROR: no blocks left")


def test_who_answers_must_serve_the_launchs_own_name() -> None:
    ready = held(GateName.READY, "own log")
    assert prove_alias(ready, ("run-1", "other"), "run-1").evidence == "own log; it serves 'run-1'"
    for served in ((), ("run-2",)):
        outcome = prove_alias(ready, served, "run-1")
        assert (outcome.passed, outcome.reason) == (False, Reason.WRONG_PROCESS)
