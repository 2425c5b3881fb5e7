"""An arm that changes files of the server is never said to be accepted: a person puts it into production by hand."""

import re
from typing import Any

import pytest

from committee.report.history import read_history
from committee.report.site.overview import overview
from committee.report.site.pages import pages
from committee.report.site.record import Record
from committee.vocabulary.language import Language
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
def record(empty: Ledger) -> Record:
    """All of them measured, all faster."""
    empty.append_all([admitted(name) for name in CHANGES])
    append_run(empty, Plan(run="measure-run-one", proposal=KNOBS, effects={name: Effect(40.0) for name in CHANGES}))
    return Record.of(read_history(empty))


def test_code_goes_into_production_by_hand_and_a_model_file_is_accepted(record: Record) -> None:
    steps = {line.name: line.next for _question, line in record.lines}
    for name in ("code", "script"):
        words = f"only a person puts into production: do that, say it in targets/{TARGET}.toml, start production, and"
        assert words in steps[name].words and steps[name].command is None
    assert steps["other-model"].command == f'committee accept {KNOBS} other-model --reason "..."'


def test_the_first_page_names_what_is_done_by_hand_and_no_command_for_it(record: Record, empty: Ledger) -> None:
    shown = overview(record)
    assert {step.line.name: step.line.next.command is None for step in shown.steps} == {
        "code": True,
        "script": True,
        "other-model": False,
    }
    first = pages(read_history(empty), Language.EN)[0].text()
    commands = re.findall(r'<span class="why">[^<]*</span>(?:<code class="command">([^<]*)</code>)?</li>', first)
    assert sorted(bool(one) for one in commands) == [False, False, True] and "None" not in commands
