"""Restore when there is nothing to restore, when a person stopped production, and while a run is alive."""

import asyncio
from pathlib import Path

import pytest

from harness.hosts.base import Held
from harness.hosts.far import restored
from harness.hosts.restore import RestoreOutcome, restore, unquoted
from tests.harness.hosts.yard import Yard, kill, opened, started, with_production

PLACE = Path("/ws/.committee/targets/small")


async def test_a_folder_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    sentence = f"Nothing was ever recorded in {str(tmp_path / 'state')!r}; there is no production to restore."
    assert await restore(tmp_path / "state") == RestoreOutcome(sentence, None, True)
    assert not (tmp_path / "state").exists()


async def test_nothing_was_ever_recorded(yard: Yard) -> None:
    where = repr(str(yard.state))
    async with opened(yard) as host:
        started(await host.start(yard.spec("arm", "--orphan")))
        kill(*yard.guardian())
    sentence = f"No production was ever recorded in {where}; left-overs were ended."
    assert await yard.restore() == RestoreOutcome(sentence, None, True)
    assert yard.marked() == set()


async def test_what_a_person_stopped_stays_down(yard: Yard) -> None:
    await with_production(yard)
    async with opened(yard) as host:
        await host.stop_production()
    sentence = f"Production in {str(yard.state)!r} was stopped by a person and stays down."
    assert await yard.restore() == RestoreOutcome(sentence, None, True)


async def test_a_live_run_is_left_alone(yard: Yard) -> None:
    held = await with_production(yard)
    async with opened(yard) as host:
        await host.begin("run-7")
        outcome = await yard.restore()
        assert (outcome.up, outcome.held) == (False, held)
        assert outcome.sentence.startswith("Run 'run-7' is being measured in ")
        await host.end()


async def test_a_production_that_cannot_start_is_said(yard: Yard) -> None:
    await with_production(yard)
    async with opened(yard) as host:
        await host.set_production(yard.production("--fail", "out of memory"))
    kill(*yard.guardian())
    held = yard.record()["held"]
    kill(held["pid"], held["start_time"])
    outcome = await yard.restore()
    assert outcome.up is False
    assert outcome.sentence.startswith("Production was not restored: production did not come back in 3 attempts")
    assert "out of memory" in outcome.sentence
    name = yard.state.name
    assert outcome.sentence.endswith(f"run 'harness start {name}', or give production up with 'harness stop {name}'.")


def test_what_a_server_said_is_not_shown() -> None:
    failed = RestoreOutcome("Production was not restored: it died: token s3cret-of-hers.", None, False, quotes=True)
    assert unquoted(failed, PLACE) == RestoreOutcome(
        f"Production was not restored: 'journal.jsonl', 'guardian.log' and 'logs' of '{PLACE}' say why; "
        "it is not shown, because private values may be in it.",
        None,
        False,
    )
    held = Held("production", 7, 99, PLACE / "logs" / "one.log")
    back = RestoreOutcome("Production is back: pid 7 at http://10.0.0.7:1.", held, True, quotes=True)
    assert unquoted(back, PLACE) == RestoreOutcome("Production is up as it was recorded: pid 7.", held, True)


def test_our_own_words_are() -> None:
    stopped = RestoreOutcome("Production was stopped by a person and stays down.", None, True)
    measured = RestoreOutcome("Run 'run-7' is being measured by a live process.", None, False)
    assert (unquoted(stopped, PLACE), unquoted(measured, PLACE)) == (stopped, measured)


async def test_what_goes_into_a_journal_has_none_of_it(yard: Yard, capsys: pytest.CaptureFixture[str]) -> None:
    """`python3 FOLDER restore STATE_DIR`, as a unit runs it after a reboot."""
    held = await with_production(yard)
    assert (await asyncio.to_thread(restored, yard.state)) == 0
    assert capsys.readouterr().out == f"Production is up as it was recorded: pid {held.pid}.\n"
