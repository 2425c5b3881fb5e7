"""A host, here and over ssh: exact starts, whole ends, its own log only, one shared guardian, clear refusals."""

import asyncio
import hashlib
import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from urllib.parse import urlsplit

import pytest

from harness import procfs
from harness.hosts.base import FileStat, Held, NotReady, NotStarted, Ran, ReadyLine
from harness.hosts.connection import GuardianError, RefusedError
from harness.hosts.looking import PortUse, port_use
from harness.hosts.sight import CHUNK_BYTES
from tests.harness.hosts.yard import (
    LISTENING,
    WAIT_S,
    Yard,
    get,
    kill,
    opened,
    started,
    starting,
    until,
    with_production,
)


async def test_a_server_gets_exactly_what_was_given(yard: Yard) -> None:
    script = (
        "import json, os, sys; print(json.dumps([sys.argv[1:], dict(os.environ), os.getcwd(), "
        "os.getsid(0) == os.getpid(), os.readlink('/proc/self/fd/0'), sorted(os.listdir('/proc/self/fd'))]))"
    )
    argv = (sys.executable, "-I", "-S", "-c", script, "a b", "$HOME")
    spec = replace(yard.spec("arm"), argv=argv, env=(("LC_ALL", "C.UTF-8"), ("ONE", "1")))
    async with opened(yard) as host:
        held = started(await host.start(spec))
        await until(lambda: held.log.read_text(encoding="utf-8").endswith("\n"), "it wrote its line")
        said = json.loads(await host.read_log(held))
    marker = f"{procfs.state_key(yard.state)}:arm"
    assert said[0] == ["a b", "$HOME"]
    assert said[1] == {"LC_ALL": "C.UTF-8", "ONE": "1", "COMMITTEE_GUARDED": marker}
    assert said[2:5] == [str(yard.work), True, "/dev/null"]
    assert said[5] == ["0", "1", "2", "3"]  # the fourth is the listing itself: no descriptor of the guardian leaks


async def test_start_pids_and_stop_of_a_whole_tree(yard: Yard) -> None:
    async with opened(yard) as host:
        arm = started(await host.start(yard.spec("arm", "--workers", "2", "--orphan", "--ignore-term")))
        ready = await host.ready(arm, LISTENING, WAIT_S)
        assert isinstance(ready, ReadyLine)
        assert ready.line == f"listening on {ready.url}"
        pids = await host.pids(arm)
        assert pids[0] == arm.pid
        assert len(pids) == 4  # itself, two workers, and the one that left the session
        await host.stop(arm, 0.1)
        assert await host.alive(arm) is False
        assert await host.pids(arm) == ()
        assert yard.marked() == set()
        await host.stop(arm, 0.1)  # safe to repeat


async def test_an_orphan_whose_server_is_gone_is_ended_too(yard: Yard) -> None:
    async with opened(yard) as host:
        arm = started(await host.start(yard.spec("arm", "--orphan", "--fail", "RuntimeError: no")))
        not_ready = await host.ready(arm, LISTENING, WAIT_S)
        assert not_ready == NotReady(detail="RuntimeError: no", ended=True)
        assert len(yard.marked()) == 1
        await host.stop(arm, 0.1)
        assert yard.marked() == set()


async def test_workers_that_erased_their_environment_are_found_by_their_session(yard: Yard) -> None:
    key, flags = procfs.state_key(yard.state), ("--workers", "2", "--erase-environment")
    async with opened(yard) as host:
        arm = started(await host.start(yard.spec("arm", *flags)))
        assert isinstance(await host.ready(arm, LISTENING, WAIT_S), ReadyLine)
        tree = await host.pids(arm)
        assert len(tree) == 3
        assert [procfs.marked(pid, key) for pid in tree] == ["", "", ""]
        kill(arm.pid, arm.start_time)
        assert set(procfs.members(key, bool, {arm.pid: arm.start_time})) == set(tree[1:])
        assert procfs.members(key, bool, {arm.pid: arm.start_time + 10**9}) == {}  # a later session of that number
        await host.stop(arm, 0.0)
        assert [pid for pid in tree if (found := procfs.stat(pid)) and found.runs] == []


@pytest.mark.parametrize("label", ["arm", "production"])
async def test_erased_workers_do_not_outlive_a_guardian_and_their_server(yard: Yard, label: str) -> None:
    async with opened(yard) as host:
        spec = yard.spec(label, "--workers", "2", "--erase-environment")
        if label == "production":
            await host.set_production(spec)
            held = started(await host.bring_back())
        else:
            held = started(await host.start(spec))
            assert isinstance(await host.ready(held, LISTENING, WAIT_S), ReadyLine)
        tree = await host.pids(held)
        assert len(tree) == 3
        kill(*yard.guardian())
    if label == "production":
        kill(held.pid, held.start_time)
    async with opened(yard) as host:
        await host.begin("run-1")  # answered after the sweep
        assert [pid for pid in tree if (found := procfs.stat(pid)) and found.runs] == []
        await host.end()


async def test_starting_again_answers_with_the_same_process_or_refuses(yard: Yard) -> None:
    spec = yard.spec("arm")
    async with opened(yard) as host:
        arm = started(await host.start(spec))
        assert await host.start(spec) == arm
        other = await host.start(replace(spec, argv=(*spec.argv, "--never-ready")))
        assert other == NotStarted("'arm' already runs with another specification; stop it first")


async def test_what_cannot_be_started_is_a_value(yard: Yard) -> None:
    async with opened(yard) as host:
        missing = await host.start(replace(yard.spec("arm"), argv=("/no/such/server",)))
        assert isinstance(missing, NotStarted)
        assert missing.detail.startswith("'/no/such/server' cannot be started in ")
        assert "No such file or directory" in missing.detail
        bad = await host.start(yard.spec("../arm"))
        assert isinstance(bad, NotStarted)
        assert bad.detail.startswith("label '../arm' must be letters")
        reserved = await host.start(yard.spec("production"))
        assert reserved == NotStarted("production is started with bring_back, not with start")
        with pytest.raises(RefusedError, match="production is ended with take_down or stop_production, not with stop"):
            await host.stop(Held("production", os.getpid(), 0, yard.state / "no.log"), 0.0)
        with pytest.raises(RefusedError, match="production's label is 'production', not 'arm'"):
            await host.set_production(yard.spec("arm"))


async def test_a_held_with_another_start_time_is_never_signalled(yard: Yard) -> None:
    stranger = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        true_start = procfs.start_time(stranger.pid)
        assert procfs.send(stranger.pid, true_start + 1, signal.SIGKILL) is False
        async with opened(yard) as host:
            arm = started(await host.start(yard.spec("arm")))
            await host.stop(replace(arm, start_time=arm.start_time + 1), 0.0)
            assert await host.alive(arm) is True
            for start_time in (true_start, true_start + 1):  # not even with the right one: it is not the guardian's
                await host.stop(Held("arm-2", stranger.pid, start_time, yard.state / "no.log"), 0.0)
        assert stranger.poll() is None
        assert procfs.send(stranger.pid, true_start, signal.SIGKILL) is True
    finally:
        stranger.kill()
        stranger.wait()


async def test_ready_reads_its_own_log_only(yard: Yard) -> None:
    async with opened(yard) as host:
        left_over = started(await host.start(yard.spec("old")))
        assert isinstance(await host.ready(left_over, LISTENING, WAIT_S), ReadyLine)
        arm = started(await host.start(yard.spec("arm", "--never-ready")))
        outcome = await host.ready(arm, LISTENING, 0.3)
        assert outcome == NotReady(detail=f"tiny_server pid {arm.pid} starting (test stand-in)", ended=False)
        assert await host.read_log(replace(arm, log=yard.state / "no.log")) == ""


async def test_half_a_line_is_not_ready() -> None:
    assert procfs.ready_line("listening on http://127.0.0.1:80", LISTENING) is None
    found = procfs.ready_line("listening on http://127.0.0.1:8080\n", LISTENING)
    assert found == ("listening on http://127.0.0.1:8080", "http://127.0.0.1:8080")
    assert procfs.ready_line("up\n", "up") == ("up", None)


async def test_two_hosts_share_one_guardian_and_only_one_measures(yard: Yard) -> None:
    production = await with_production(yard)
    first, second = await asyncio.gather(yard.open(), yard.open())
    try:
        assert (await first.production()).held == (await second.production()).held == production
        assert yard.said().count("guardian_started") == 1
        await first.begin("run-1")
        with pytest.raises(RefusedError, match="run 'run-1' is being measured here; wait until it ends"):
            await second.begin("run-2")
        with pytest.raises(RefusedError, match="begin a run before production is taken down"):
            await second.take_down()
        await first.end()
        await second.begin("run-2")
    finally:
        await first.close()
        await second.close()


async def test_many_who_open_at_once_share_one_guardian(yard: Yard) -> None:
    hosts = await asyncio.gather(*(yard.open() for _ in range(4)))
    assert yard.said().count("guardian_started") == 1
    for host in hosts:
        await host.close()


async def test_production_states(yard: Yard) -> None:
    async with opened(yard) as host:
        assert (await host.production()).spec is None
        assert await host.bring_back() == NotStarted(f"no production is recorded in {str(yard.state)!r}; set it first")
        spec = yard.production()
        await host.set_production(spec)
        held = started(await host.bring_back())
        assert started(await host.bring_back()) == held
        up = await host.production()
        assert (up.spec, up.wanted, up.held) == (spec, True, held)
        assert up.url is not None
        assert up.url.startswith("http://127.0.0.1:")
        await host.begin("run-1")
        assert await host.take_down() == held
        assert await host.take_down() is None
        down = await host.production()
        assert (down.wanted, down.held, down.url) == (True, None, None)
        await host.end()
        await until(yard.is_up, "the watch brings it back after the run")
        assert await host.dismiss() is False
        await host.stop_production()
        assert yard.marked() == set()
        assert (await host.production()).wanted is False
        guardian = yard.guardian()
        assert await host.dismiss() is True
        await until(lambda: not procfs.same(*guardian), "the guardian leaves")
        assert not (yard.state / "guardian.sock").exists()
        with pytest.raises(GuardianError, match="the guardian is gone"):
            await host.bring_back()


async def test_a_production_that_cannot_start_is_refused_after_three_attempts(yard: Yard) -> None:
    async with opened(yard) as host:
        await host.set_production(yard.production("--fail", "CUDA driver is a stub library"))
        outcome = await host.bring_back()
        assert isinstance(outcome, NotStarted)
        assert outcome.detail.startswith("production did not come back in 3 attempts: production ended before")
        assert "CUDA driver is a stub library" in outcome.detail
        assert yard.said().count("production_started") == 3
        assert yard.said()[-1] == "restore_failed"


async def test_stop_production_interrupts_a_start(yard: Yard) -> None:
    async with opened(yard) as host, opened(yard) as person:
        await host.set_production(yard.production("--never-ready"))
        start = asyncio.create_task(host.bring_back())
        await starting(person)
        await person.stop_production()
        assert await start == NotStarted("production was stopped while it was starting")
        assert yard.marked() == set()


async def test_a_guardian_of_another_version_is_named(yard: Yard, monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(yard):
        monkeypatch.setattr("harness.hosts.host.PROTOCOL", 0)
        with pytest.raises(GuardianError, match=r"answers for '.*' but is no guardian of this version"):
            await yard.open()


async def test_a_silent_guardian_is_named(yard: Yard, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.hosts.host.QUERY_TIMEOUT_S", 0.3)
    async with opened(yard):
        pid, _ = yard.guardian()
        os.kill(pid, signal.SIGSTOP)
        said = rf"\(pid {pid}\) is alive but does not answer; `kill -9 {pid}`, then `harness restore "
        with pytest.raises(GuardianError, match=said):
            await yard.open()
        os.kill(pid, signal.SIGCONT)


async def test_files_are_put_whole_read_in_parts_and_hashed(yard: Yard) -> None:
    content = os.urandom(CHUNK_BYTES + 10)
    path = yard.work / "made" / "object.so"
    async with opened(yard) as host:
        assert await host.stat(path) is None
        assert await host.read(path) is None
        await host.put(path, content, 0o755)
        assert await host.stat(path) == FileStat(len(content), 0o755, hashlib.sha256(content).hexdigest())
        assert await host.read(path) == content[:CHUNK_BYTES]
        assert await host.read(path, CHUNK_BYTES) == content[CHUNK_BYTES:]
        assert await host.read(path, len(content)) == b""
        await host.put(path, b"")
        assert await host.stat(path) == FileStat(0, 0o644, hashlib.sha256(b"").hexdigest())
    assert [found.name for found in path.parent.iterdir()] == ["object.so"]


async def test_a_command_runs_to_its_end_or_to_its_time(yard: Yard) -> None:
    spec = replace(yard.spec("build", grace_s=0.1), argv=("sh", "-c", "echo made; echo 'a \"word\"' >&2; exit 3"))
    async with opened(yard) as host:
        assert await host.run(spec, WAIT_S) == Ran(3, 'made\na "word"\n')
        assert await host.run(replace(spec, argv=("/no/such/compiler",)), WAIT_S) == Ran(
            127, "sh: 1: /no/such/compiler: not found\n"
        )
        slow = replace(spec, argv=("sh", "-c", "echo began; sleep 60"))
        assert await host.run(slow, 0.3) == Ran(None, "began\n")
        nowhere = await host.run(replace(spec, cwd=yard.root / "nowhere"), WAIT_S)
        assert isinstance(nowhere, NotStarted) and "No such file or directory" in nowhere.detail
        assert yard.marked() == set()


async def test_a_server_is_reached_and_looked_at_without_a_guardian_of_ones_own(yard: Yard) -> None:
    held = await with_production(yard)
    async with opened(yard) as host:
        url = (await host.production()).url
        assert url is not None
        reached = await host.reach(url)
        assert (reached == url) is (yard.sshd is None)
        assert await asyncio.to_thread(get, reached) == {"pid": held.pid, "name": "production"}
        port = urlsplit(url).port or 0
        assert await port_use(host, port, await host.pids(held)) == PortUse(listening=True, foreign=0, holders=())
        assert (await port_use(host, port, ())).foreign == 1
        assert await host.memory_available_mib() > 0


async def test_an_operation_that_a_host_does_not_know_is_a_refusal(yard: Yard) -> None:
    async with opened(yard) as host:
        with pytest.raises((RefusedError, KeyError), match="dance"):
            await host.look({"ask": "dance"})
