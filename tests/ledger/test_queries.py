"""The questions of the front office."""

from pathlib import Path

import pytest

from ledger.queries import placebo_history
from ledger.store import Ledger
from tests.ledger.examples import INTERVAL, B, verdict

OTHER_RUN = "m-20261130-0002"


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """An empty ledger."""
    return Ledger.open(tmp_path / "records.db", actor="test", create=True)


def test_the_history_of_the_spread_has_one_number_a_run(ledger: Ledger) -> None:
    wide = INTERVAL.model_copy(update={"launch_sd_pct": 8.0})
    with ledger:
        ledger.append_all(
            (
                verdict(primary=False, interval=wide),
                verdict(interval=None, validity="INVALID", speed=None),
                verdict(),
                verdict(arm=B, interval=wide),
                verdict(run=OTHER_RUN, interval=wide, primary=False),
                verdict(run="m-20261201-0003", target="other"),
            )
        )
        assert placebo_history(ledger, "local-llamacpp") == [4.7, 8.0]
