"""Restore when there is nothing to restore, when a person stopped production, and while a run is alive."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.hosts.restore import RestoreOutcome, restore
from tests.harness.hosts.yard import Yard, a_yard, kill, opened, started, with_production


@pytest.fixture
def yard(tmp_path: Path) -> Iterator[Yard]:
    with a_yard(tmp_path) as made:
        yield made


async def test_nothing_was_ever_recorded(yard: Yard) -> None:
    where = repr(str(yard.state))
    sentence = f"Nothing was ever recorded in {where}; there is no production to restore."
    assert await restore(yard.state) == RestoreOutcome(sentence, None, True)
    assert not yard.state.exists()
    async with opened(yard) as host:
        started(await host.start(yard.spec("arm", "--orphan")))
        kill(*yard.guardian())
    sentence = f"No production was ever recorded in {where}; left-overs were ended."
    assert await restore(yard.state) == RestoreOutcome(sentence, None, True)
    assert yard.marked() == set()


async def test_what_a_person_stopped_stays_down(yard: Yard) -> None:
    await with_production(yard)
    async with opened(yard) as host:
        await host.stop_production()
    sentence = f"Production in {str(yard.state)!r} was stopped by a person and stays down."
    assert await restore(yard.state) == RestoreOutcome(sentence, None, True)


async def test_a_live_run_is_left_alone(yard: Yard) -> None:
    held = await with_production(yard)
    async with opened(yard) as host:
        await host.begin("run-7")
        outcome = await restore(yard.state)
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
    outcome = await restore(yard.state)
    assert outcome.up is False
    assert outcome.sentence.startswith("Production was not restored: production did not come back in 3 attempts")
    assert "out of memory" in outcome.sentence
