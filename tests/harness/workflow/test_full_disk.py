"""A disk that fills up in the middle of a run: the record stops, the run says so, and production comes back."""

import asyncio
import re
import resource
import sys
from pathlib import Path

import pytest

from harness.servers import ROOM, ROOM_BYTES
from ledger.entries import Launch
from tests.full_disk import fill
from tests.harness.workflow.bench_yard import FAST
from tests.harness.workflow.kill_yard import CRITERIA, PROJECT, kill_yard, told, until

pytestmark = [pytest.mark.system, pytest.mark.alone]
DISK_MIB = 8  # the workspace's files take less than one, the guardian keeps one more


async def test_a_ledger_that_cannot_grow_ends_the_run_with_a_sentence(tmp_path: Path) -> None:
    async with kill_yard(tmp_path) as yard:
        order = yard.write_order(FAST, CRITERIA)
        async with yard.measuring(order) as harness:
            await until(told(yard, "phase loading", 2), "the second launch is under load")
            size = yard.progress.stat().st_size  # no file of the harness may grow beyond this: ledger and progress
            resource.prlimit(harness.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
            said = await yard.ended(harness)
        assert said.code == 1 and "Traceback" not in said.words, said
        assert "records.db" in said.words and "production is up again all the same" in said.words, said
        await yard.until_back()
        await yard.assert_production_is_back()
        await yard.finish(order)


async def test_on_a_disk_that_is_really_full_production_starts_in_the_room_that_was_kept(tmp_path: Path) -> None:
    workspace = tmp_path / "yard" / "workspace"
    workspace.mkdir(parents=True)
    mount = f'mount -t tmpfs -o size={DISK_MIB}m none "$1" && exec "$2" -m {__spec__.name} "$3"'
    process = await asyncio.create_subprocess_exec(
        *("unshare", "--map-root-user", "--mount", "sh", "-ec", mount, "sh"),
        *(str(workspace), sys.executable, str(workspace.parent)),
        cwd=PROJECT,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    async with asyncio.timeout(180):
        words, _ = await process.communicate()
    assert (process.returncode, words.decode().splitlines()[-1:]) == (0, ["PRODUCTION IS BACK"]), words.decode()


async def fill_while_measuring(root: Path) -> None:
    """On a small disk of its own: fill it under load, see production back, make room, finish the order."""
    async with kill_yard(root) as yard:
        order = yard.write_order(FAST, CRITERIA)
        ballast = yard.folder / "ballast"
        async with yard.measuring(order) as harness:
            await until(told(yard, "phase loading", 2), "the second launch is under load")
            fill(ballast)
            said = await yard.ended(harness)
        assert said.code == 1 and "Traceback" not in said.words, said
        assert re.search(r"disk (is|may be) full.*; make room", said.words), said  # SQLite has two words for it
        await yard.until_back()
        await yard.assert_production_is_back()
        assert not (yard.place / ROOM).exists()
        with yard.ledger() as ledger:
            assert len(ledger.of(Launch)) == 1
        ballast.unlink()
        await yard.finish(order)
        assert (yard.place / ROOM).stat().st_size == ROOM_BYTES
        await yard.assert_production_is_back()


if __name__ == "__main__":
    asyncio.run(fill_while_measuring(Path(sys.argv[1])))
    sys.stdout.write("PRODUCTION IS BACK\n")
