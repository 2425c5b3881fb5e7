"""How many blocks stand behind a verdict, against those that its proposal asks for."""

import pytest

from committee.report.history import History
from committee.report.outlook import Outlook, blocks_behind
from ledger.entries import Look
from tests.committee.report.sample import KNOBS


@pytest.mark.parametrize(("asked", "too_few"), [(8, None), (12, 12)])
def test_the_passes_of_a_screen_are_no_blocks(history: History, asked: int, too_few: int | None) -> None:
    planned = {"blocks": 12, "screen_blocks": 4, "looks": (Look(blocks=8, levels=(0.01,)),)}
    run = history.runs[0].payload.model_copy(update=planned)
    verdict = history.verdicts[0].payload.model_copy(update={"blocks": 3})
    assert blocks_behind(run, verdict) == 8, "those of the confirmation, at whichever look it ended"
    assert Outlook(asked_blocks={KNOBS: asked}).too_few(run, verdict) == too_few
