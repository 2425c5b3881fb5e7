"""The questions of the front office."""

from pathlib import Path

import pytest

from ledger.queries import earlier_verdicts, latest_acceptance, launch_ids, placebo_history, superseded_by
from ledger.store import Ledger
from tests.ledger.examples import INTERVAL, RUN, A, B, acceptance, launch, verdict

OTHER_RUN = "m-20261130-0002"


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """An empty ledger."""
    return Ledger.open(tmp_path / "records.db", actor="test", create=True)


def test_earlier_verdicts_are_those_on_the_same_change_and_target(ledger: Ledger) -> None:
    with ledger:
        ledger.append_all((verdict(), verdict(arm=B), verdict(target="other"), verdict(run=OTHER_RUN, speed="SAME")))
        found = earlier_verdicts(ledger, "local-llamacpp", A)
        assert [(entry.seq, one.speed) for entry, one in found] == [(1, "FASTER"), (4, "SAME")]
        assert earlier_verdicts(ledger, "local-llamacpp", "c" * 64) == []


def test_launches_of_a_run(ledger: Ledger) -> None:
    with ledger:
        ledger.append_all((launch(RUN, 1), launch(OTHER_RUN, 0), launch(RUN, 0)))
        assert launch_ids(ledger, RUN) == [f"{RUN}/1/1", f"{RUN}/0/1"]


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


def test_acceptances_supersede_and_are_kept(ledger: Ledger) -> None:
    with ledger:
        assert latest_acceptance(ledger, "local-llamacpp") is None
        first = ledger.append(acceptance())
        elsewhere = ledger.append(acceptance(target="other"))
        second = ledger.append(acceptance(supersedes=first.id))
        third = ledger.append(acceptance(supersedes=second.id))
        latest = latest_acceptance(ledger, "local-llamacpp")
        assert latest is not None
        assert latest[0] == third
        assert [entry.seq for entry, _one in superseded_by(ledger, first.id)] == [second.seq, third.seq]
        assert superseded_by(ledger, third.id) == []
        assert superseded_by(ledger, elsewhere.id) == []
