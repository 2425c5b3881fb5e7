"""An arm that changes files of the server is never said to be accepted: a person puts it into production by hand."""

from typing import Any

import pytest

from committee.report.history import read_history
from committee.report.lines import questions
from committee.report.next_step import NextStep
from committee.report.runs import run_views
from ledger.entries import Arm
from ledger.store import Ledger
from tests.committee.report.sample import KNOBS, TARGET, Effect, Plan, append_run, fingerprint

OVERLAY = {"path": "/opt/a.so", "source": "/srv/a.so", "sha256": "a" * 64}
CHANGES: dict[str, dict[str, Any]] = {
    "code": {"overlay": [OVERLAY]},
    "script": {"deploy": [{"find": "a", "replace": "b"}]},
    "other-model": {"model": "/models/iq4.gguf"},
}


def admitted(name: str) -> Arm:
    """An arm on record that makes one of these changes."""
    definition = {"schema": 1, "name": name, **CHANGES[name]}
    return Arm(
        fingerprint=fingerprint(name),
        name=name,
        target=TARGET,
        proposal=KNOBS,
        definition=definition,
        origins=("author",),
    )


@pytest.fixture
def steps(empty: Ledger) -> dict[str, NextStep]:
    """What is next for each, all of them faster."""
    empty.append_all([admitted(name) for name in CHANGES])
    append_run(empty, Plan(run="measure-run-one", proposal=KNOBS, effects={name: Effect(40.0) for name in CHANGES}))
    history = read_history(empty)
    (found,) = questions(history, run_views(history))
    return {one.name: one.next for one in found.lines}


def test_code_goes_into_production_by_hand_and_a_model_file_is_accepted(steps: dict[str, NextStep]) -> None:
    for name in ("code", "script"):
        words = f"only a person puts into production: do that, say it in targets/{TARGET}.toml, start production, and"
        assert words in steps[name].words and steps[name].command is None
    assert steps["other-model"].command == f'committee accept {KNOBS} other-model --reason "..."'
