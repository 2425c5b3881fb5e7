"""Whoever is gone while files are changed for an arm: production is back and its files are what they were."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.hosts.host import Host
from harness.hosts.local import LocalHost
from harness.hosts.restore import restore
from harness.overlay.undo import JOURNALS
from harness.overlay.values import ChangedFile, FileChange, NotChanged
from tests.harness.hosts.yard import Yard, a_yard, kill, opened, started, until, with_production


@pytest.fixture
def yard(tmp_path: Path) -> Iterator[Yard]:
    with a_yard(tmp_path) as made:
        (made.work / "builds").mkdir()
        (made.work / "builds" / "other.bin").write_bytes(b"other weights")
        yield made


def changes(yard: Yard) -> list[FileChange]:
    """Production's file in place, and a script's copy."""
    path, source = yard.work / "model.bin", yard.work / "builds" / "other.bin"
    made = yard.work / "model.committee-x.bin"
    return [
        FileChange("in-place", str(path), str(source), str(source.parent), max_mib=1),
        FileChange("copy", str(path), copies=str(path), made=str(made), max_mib=1, edits=()),
    ]


async def changed(host: Host, yard: Yard, *, arm: bool) -> None:
    await host.begin("run-1")
    await host.take_down()
    done = await host.change("arm-1", changes(yard))
    assert not isinstance(done, NotChanged), done
    assert (yard.work / "model.bin").read_bytes() == b"other weights"
    if arm:
        started(await host.start(yard.spec("arm-1", "--workers", "1", grace_s=0.3)))


async def back(yard: Yard, before: dict[str, str]) -> None:
    await until(yard.is_up, "production is up")
    await yard.assert_production_is_back()
    assert yard.files() == before
    assert not [name for name in JOURNALS if (yard.state / name).exists()]
    assert not (yard.state / "undo").exists()


@pytest.mark.parametrize("arm", [False, True])
async def test_the_harness_is_gone(yard: Yard, arm: bool) -> None:
    await with_production(yard)
    before = yard.files()
    host = await LocalHost.open(yard.state)
    await changed(host, yard, arm=arm)
    await host.close()  # in a run: as if it were killed
    await back(yard, before)


@pytest.mark.parametrize("arm", [False, True])
async def test_the_guardian_is_killed(yard: Yard, arm: bool) -> None:
    await with_production(yard)
    before = yard.files()
    host = await LocalHost.open(yard.state)
    await changed(host, yard, arm=arm)
    kill(*yard.guardian())
    await host.close()
    async with opened(yard) as again:
        started(await again.bring_back())
    await back(yard, before)


async def test_both_are_killed_and_a_person_restores(yard: Yard) -> None:
    await with_production(yard)
    before = yard.files()
    host = await LocalHost.open(yard.state)
    await changed(host, yard, arm=True)
    kill(*yard.guardian())
    await host.close()
    assert (yard.work / "model.bin").read_bytes() == b"other weights"
    outcome = await restore(yard.state)
    assert outcome.up, outcome.sentence
    await back(yard, before)


async def test_a_run_that_ends_changes_back_what_was_left(yard: Yard) -> None:
    await with_production(yard)
    before = yard.files()
    async with opened(yard) as host:
        await changed(host, yard, arm=True)
        await host.end()
        started(await host.bring_back())
    await back(yard, before)


async def test_production_is_not_started_while_a_file_cannot_be_mended(yard: Yard) -> None:
    await with_production(yard)
    async with opened(yard) as host:
        await changed(host, yard, arm=False)
        (backup,) = yard.work.glob("model.bin.committee-backup-*")
        whole = backup.read_bytes()
        backup.write_bytes(b"damaged")
        (kept,) = (yard.state / "undo").iterdir()
        kept.write_bytes(b"damaged")
        refused = await host.undo()
        assert isinstance(refused, NotChanged) and "could not be mended" in refused.detail
        assert "could not be mended" in str(await host.bring_back())
        assert not yard.is_up()
        assert "files are still changed for 'arm-1'" in str(await host.start(yard.spec("arm-2")))
        (yard.work / "model.bin").write_bytes(whole)  # a person had one more copy
        kept.write_bytes(whole)
        assert isinstance(await host.undo(), tuple)
        started(await host.bring_back())
        await host.end()
    assert (yard.work / "model.bin").read_bytes() == whole


async def test_files_are_changed_in_a_run_with_production_down_only(yard: Yard) -> None:
    await with_production(yard)
    before = yard.files()
    async with opened(yard) as host:
        for begun in (False, True):
            if begun:
                await host.begin("run-1")
            refused = await host.change("arm-1", changes(yard))
            assert refused == NotChanged("begin a run and take production down before files are changed for an arm")
        await host.take_down()
        done = await host.change("arm-1", changes(yard))
        assert isinstance(done, tuple) and all(isinstance(one, ChangedFile) for one in done)
        assert "undo that first" in str(await host.change("arm-1", changes(yard)))
        assert await host.undo() == ()
        assert await host.undo() == ()
        started(await host.bring_back())
        await host.end()
    assert yard.files() == before
