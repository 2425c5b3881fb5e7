"""The guardian's servers: who may handle production during a run, what it was started as, disks that take nothing."""

import json
import resource
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness import procfs
from harness.hosts.base import NotStarted
from harness.hosts.local import LocalHost, RefusedError
from harness.hosts.onlooker import Onlooker
from harness.servers import ROOM, ROOM_BYTES, Servers
from tests.harness.hosts.yard import Yard, a_yard, opened, started, until, with_production


@pytest.fixture
def yard(tmp_path: Path) -> Iterator[Yard]:
    with a_yard(tmp_path) as made:
        yield made


async def test_nobody_else_handles_production_during_a_run(yard: Yard) -> None:
    await with_production(yard)
    async with opened(yard) as measuring, opened(yard) as person:
        await measuring.begin("run-7")
        await measuring.take_down()
        with pytest.raises(RefusedError, match="run 'run-7' is being measured here; wait until it ends"):
            await person.stop_production()
        assert yard.record()["wanted"]
        refused = await person.bring_back()
        assert refused == NotStarted("run 'run-7' is being measured here; wait until it ends")
        assert not yard.marked()
        started(await measuring.bring_back())
        await measuring.end()
        await person.stop_production()
        assert not yard.record()["wanted"] and not yard.marked()


async def test_what_production_was_started_as_is_kept_apart_from_what_it_will_be(yard: Yard) -> None:
    old, new = yard.production(), yard.production("--start-s", "0.01")
    await with_production(yard)
    async with opened(yard) as host:
        await host.set_production(new)
        for found in (await host.production(), await Onlooker(yard.state).production()):
            assert (found.spec, found.started_as) == (new, old)
        await host.begin("run-1")
        await host.take_down()
        assert (await host.production()).started_as is None
        started(await host.bring_back())
        assert (await host.production()).started_as == new
        await host.end()


async def test_a_record_of_an_earlier_version_is_read(yard: Yard) -> None:
    await with_production(yard)
    record = yard.record()
    del record["started_as"]
    procfs.write_atomically(yard.state / "production.json", record)
    found = await Onlooker(yard.state).production()
    assert found.held is not None and found.started_as is None


async def test_a_disk_that_takes_no_journal_does_not_keep_production_down(yard: Yard) -> None:
    await with_production(yard)
    host = await LocalHost.open(yard.state)
    await host.begin("run-1")
    await host.take_down()
    said = yard.said()
    size = (yard.state / "journal.jsonl").stat().st_size
    large = (yard.state / "production.json").stat().st_size + 2000
    while size < large:  # so that only the journal meets the limit, not what production itself has to write
        said.append("filler")
        with (yard.state / "journal.jsonl").open("a", encoding="utf-8") as out:
            out.write(json.dumps({"what": "filler"}) + "\n")
        size = (yard.state / "journal.jsonl").stat().st_size
    resource.prlimit(yard.guardian()[0], resource.RLIMIT_FSIZE, (size + 10, resource.RLIM_INFINITY))
    await host.close()  # within a run: counts as lost
    await until(yard.is_up, "production is back")
    await yard.assert_production_is_back()
    assert yard.said() == said  # whole lines only: what did not fit was taken back
    assert procfs.same(*yard.guardian())


def test_a_record_that_cannot_be_written_is_written_later(tmp_path: Path) -> None:
    servers = Servers(tmp_path)
    (tmp_path / "production.json.new").mkdir()  # nothing can be written beside the record
    servers.save(wanted=True)
    assert (servers.unsaved, servers.record["wanted"]) == (True, True)
    (tmp_path / "production.json.new").rmdir()
    servers.save()
    assert not servers.unsaved
    assert json.loads((tmp_path / "production.json").read_text(encoding="utf-8"))["wanted"] is True


def test_room_is_kept_and_given_up(tmp_path: Path) -> None:
    servers = Servers(tmp_path)
    servers.keep_room()
    assert (tmp_path / ROOM).stat().st_blocks * 512 >= ROOM_BYTES
    servers.release_room()
    servers.release_room()
    assert not (tmp_path / ROOM).exists()
