"""The guardian by itself: what it imports, that it is alone, what it watches, and when it gives up."""

import ast
import asyncio
import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness import procfs
from harness.hosts.local import GuardianError, LocalHost
from harness.hosts.spawn import spawn_guardian
from tests.harness.hosts.yard import WAIT_S, Yard, a_yard, kill, opened, until, with_production

HARNESS = Path(procfs.__file__).parent
OVERLAY = tuple(f"overlay/{name}.py" for name in ("__init__", "apply", "edits", "gguf", "steps", "undo"))
COPIED = ("__init__.py", "guardian.py", "probation.py", "servers.py", "procfs.py", "shortened.py", *OVERLAY)


@pytest.fixture
def yard(tmp_path: Path) -> Iterator[Yard]:
    with a_yard(tmp_path) as made:
        yield made


@pytest.mark.parametrize("name", COPIED)
def test_it_imports_the_standard_library_and_itself_only(name: str) -> None:
    for node in ast.walk(ast.parse((HARNESS / name).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            assert {alias.name.partition(".")[0] for alias in node.names} <= sys.stdlib_module_names
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0
            own = {f"harness.{path.removesuffix('.py').replace('/', '.')}" for path in COPIED}
            assert node.module in own or (node.module or "").partition(".")[0] in sys.stdlib_module_names


def test_the_copied_files_serve_by_themselves(yard: Yard) -> None:
    there = yard.root / "copy" / "harness"
    there.mkdir(parents=True)
    (there / "overlay").mkdir()
    for name in COPIED:
        shutil.copy(HARNESS / name, there / name)
    command = [sys.executable, "-E", "-s", "-S", "-m", "harness.guardian", "serve", str(yard.state)]
    done = subprocess.run(command, cwd=there.parent, timeout=WAIT_S, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    with socket.socket(socket.AF_UNIX) as peer:
        peer.settimeout(WAIT_S)
        directory = os.open(yard.state, os.O_RDONLY)
        peer.connect(f"/proc/self/fd/{directory}/guardian.sock")
        os.close(directory)
        peer.sendall(b'{"id": 1, "op": "hello"}\n{"id": 2, "op": "dance"}\n')
        with peer.makefile(encoding="utf-8") as answers:
            first, unknown = json.loads(answers.readline()), json.loads(answers.readline())
        pid, started = yard.guardian()
        assert unknown == {"id": 2, "error": "'dance' is not an operation of this guardian"}
        assert first["result"] == {"pid": pid, "start_time": started, "protocol": 2, "runs": []}
        assert os.getsid(pid) not in (pid, os.getsid(0))
        second = subprocess.run(command, cwd=there.parent, timeout=WAIT_S, capture_output=True, text=True, check=False)
        assert second.returncode == 1
        assert second.stderr == f"another guardian already serves {str(yard.state)!r}; connect to it instead\n"


async def test_a_second_guardian_is_refused(yard: Yard) -> None:
    async with opened(yard):
        first = yard.guardian()
        assert "another guardian already serves" in spawn_guardian(yard.state)
        assert yard.guardian() == first


async def test_a_broken_record_is_named(yard: Yard) -> None:
    yard.state.mkdir()
    (yard.state / "production.json").write_text("{half", encoding="utf-8")
    with pytest.raises(
        GuardianError, match=r"production.json in '.*' cannot be used \(JSONDecodeError.*; correct it or"
    ):
        await LocalHost.open(yard.state)


async def test_usage(yard: Yard) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "harness.guardian"], timeout=WAIT_S, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (1, "usage: python -m harness.guardian serve STATE_DIR\n")


async def test_an_operation_it_does_not_know_and_nonsense(yard: Yard) -> None:
    async with opened(yard) as host:
        directory = os.open(yard.state, os.O_RDONLY)
        reader, writer = await asyncio.open_unix_connection(f"/proc/self/fd/{directory}/guardian.sock")
        os.close(directory)
        writer.write(b'{"id": 5, "op": "dance"}\n{"id": 6, "op": "start", "spec": {}}\n')
        assert json.loads(await reader.readline()) == {
            "id": 5,
            "error": "'dance' is not an operation of this guardian",
        }
        assert json.loads(await reader.readline()) == {
            "id": 6,
            "error": "the guardian met a fault: KeyError('label')",
        }
        writer.write(b"{nonsense\n")
        assert await reader.read() == b""  # that connection is closed
        writer.close()
        await writer.wait_closed()
        assert (await host.production()).wanted is False  # the others are still served


async def test_a_message_nested_without_end_costs_its_sender_the_connection(yard: Yard) -> None:
    async with opened(yard) as host:
        before = yard.guardian()
        for line in (b"[" * 20_000, b'{"id": [[]], "op": "hello"}', b'{"id": Infinity, "op": "hello"}'):
            directory = os.open(yard.state, os.O_RDONLY)
            reader, writer = await asyncio.open_unix_connection(f"/proc/self/fd/{directory}/guardian.sock")
            os.close(directory)
            writer.write(line + b"\n")
            assert await asyncio.wait_for(reader.read(), WAIT_S) == b""
            writer.close()
            await writer.wait_closed()
        assert (await host.production()).wanted is False
        assert yard.guardian() == before


async def test_restarts_are_limited_until_somebody_asks(yard: Yard) -> None:
    await with_production(yard)
    for deaths in range(1, 5):
        held = yard.record()["held"]
        kill(held["pid"], held["start_time"])
        wanted = ["production_died"] * deaths
        await until(lambda wanted=wanted: [w for w in yard.said() if w == "production_died"] == wanted, "noticed")  # type: ignore[misc]
        if deaths <= 3:
            await until(lambda held=held: yard.record()["held"] != held and yard.is_up(), "restarted")  # type: ignore[misc]
    await until(lambda: yard.said()[-1] == "restore_failed", "it gives up")
    assert yard.journal()[-1]["detail"] == "production died again after 3 restarts in 10 minutes"
    async with opened(yard) as host:
        await host.bring_back()
        await yard.assert_production_is_back()


async def test_the_journal_says_who_and_when(yard: Yard) -> None:
    before = time.time()
    held = await with_production(yard)
    started, up = yard.journal()[-2:]
    assert (started["what"], started["pid"], started["start_time"]) == ("production_started", held.pid, held.start_time)
    assert (up["what"], up["url"], up["detail"]) == (
        "production_up",
        yard.record()["url"],
        f"listening on {yard.record()['url']}",
    )
    assert before <= started["time"] <= up["time"] <= time.time()


async def test_a_new_guardian_adopts_the_recorded_production_and_no_other(yard: Yard) -> None:
    held = await with_production(yard)
    kill(*yard.guardian())
    async with opened(yard) as host:
        assert (await host.production()).held == held
        await yard.assert_production_is_back()
    kill(*yard.guardian())
    record = yard.record()
    record["held"]["start_time"] += 1  # as if the pid had been given to another process
    procfs.write_atomically(yard.state / "production.json", record)
    async with opened(yard) as host:
        assert (await host.production()).held is None
        await host.bring_back()
        await yard.assert_production_is_back()
        assert yard.record()["held"]["pid"] != held.pid


async def test_a_record_of_another_boot_is_not_trusted(yard: Yard) -> None:
    held = await with_production(yard)
    kill(*yard.guardian())
    record = yard.record() | {"boot": "another"}
    procfs.write_atomically(yard.state / "production.json", record)
    async with opened(yard) as host:
        assert (await host.production()).held is None
        assert (await host.production()).wanted is True
    assert not procfs.same(held.pid, held.start_time)
