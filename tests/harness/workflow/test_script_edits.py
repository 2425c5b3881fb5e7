"""Edits of a deploy script that cannot be made, or not together, are found before production is stopped."""

from pathlib import Path
from typing import Any

import pytest

from harness.vocabulary.outcome import Reason
from harness.workflow.events import MeasureEvent
from harness.workflow.measure import NotMeasured
from harness.workflow.order import Order
from harness.workflow.script_edits import unfit_edits
from tests.harness.workflow.bench_yard import CRITERIA, SERVER, TARGET, BenchYard

SCRIPT = f'#!/bin/sh\nSIZE=1024 SPLITS=96\nUSERS=8\nexec python3 {SERVER} "$@"\n'


def order(folder: Path, *arms: dict[str, Any]) -> Order:
    """Arms that edit a deploy script of the yard."""
    script = folder / "deploy.sh"
    script.write_text(SCRIPT)
    baseline = {**TARGET["baseline"], "command": ["/bin/sh", str(script)]}
    value = {
        "run": "measure-test-000001",
        "target": TARGET | {"baseline": baseline, "deploy": {"script": str(script), "edits": True}},
        "target_sha256": "0" * 64,
        "criteria": CRITERIA,
        "arms": [{"arm": {"schema": 1, **arm}, "approved_by": "Ada"} for arm in arms],
        "seed": 3,
    }
    return Order.from_mapping(value, "the order")


def edit(name: str, find: str, replace: str) -> dict[str, Any]:
    return {"name": name, "deploy": [{"find": find, "replace": replace}]}


@pytest.mark.parametrize(
    ("arms", "said"),
    [
        ((edit("a", "SIZE=512", "SIZE=2048"),), "arm 'a': 'SIZE=512' stands 0 times in "),
        (
            (
                edit("a", "SIZE=1024", "SIZE=2048"),
                edit("b", "SPLITS=96", "SPLITS=160"),
                {"name": "s", "stack": ["a", "b"]},
            ),
            "arm 's': its parts 'a' and 'b' edit line 2 of the deploy script differently, so they cannot be stacked",
        ),
    ],
)
async def test_what_cannot_be_edited_leaves_production_alone(tmp_path: Path, arms: Any, said: str) -> None:
    yard, events = BenchYard(tmp_path), list[MeasureEvent]()
    async with yard.production() as host:
        before = (await host.production()).held
        with yard.ledger() as ledger:
            outcome = await yard.measurement(order(tmp_path, *arms), ledger, events).run()
        assert isinstance(outcome, NotMeasured) and outcome.reason is Reason.NOT_APPLIED
        assert outcome.sentence.startswith(said) and "so what you correct there needs a new order" in outcome.sentence
        assert outcome.sentence.endswith("production was not touched")
        assert (await host.production()).held == before


async def test_edits_of_different_lines_are_stacked_and_a_missing_script_is_said(tmp_path: Path) -> None:
    arms = (edit("a", "SIZE=1024", "SIZE=2048"), edit("b", "USERS=8", "USERS=4"), {"name": "s", "stack": ["a", "b"]})
    asked = order(tmp_path, *arms)
    async with BenchYard(tmp_path).production() as host:
        assert await unfit_edits(asked, host) is None
        (tmp_path / "deploy.sh").unlink()
        assert "does not exist on the host" in str(await unfit_edits(asked, host))
