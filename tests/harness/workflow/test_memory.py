"""Memory that has to come back after a stop: of the host, and of every card."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from harness.vocabulary.target import Teardown
from harness.workflow.memory import FreeMemory, free_memory, not_returned
from tests.harness.direct_host import DirectHost

CARD = {"index": 0, "used_mib": 0, "sm_mhz": 1, "max_sm_mhz": 1, "temperature_c": 1, "throttling": [], "pids": []}


class Carded(DirectHost):
    """A host with two cards, the second of which does not tell its memory."""

    free_mib = 30000

    async def look(self, question: Mapping[str, Any]) -> Any:
        if question["ask"] == "cards":
            return [CARD | {"free_mib": self.free_mib}, CARD | {"index": 1, "free_mib": None}]
        return await super().look(question)


@pytest.mark.parametrize(("before_mib", "returned"), [(100, True), (10**9, False)])
async def test_memory_is_waited_for_within_the_limit(tmp_path: Path, before_mib: int, returned: bool) -> None:
    teardown = Teardown(memory_slack_mib=0, memory_timeout_s=0.1)
    lacking = await not_returned(DirectHost(tmp_path), teardown, FreeMemory(before_mib))
    assert (lacking == ()) is returned and all(said.startswith("host: ") for said in lacking)


async def test_a_card_whose_memory_is_still_held_is_named(tmp_path: Path) -> None:
    host = Carded(tmp_path)
    before = await free_memory(host)
    assert before.cards_mib == ((0, 30000),)
    host.free_mib = 16000
    teardown = Teardown(memory_slack_mib=256, memory_timeout_s=0.1)
    assert await not_returned(host, teardown, FreeMemory(0, before.cards_mib)) == ("card 0: 14000 MiB",)
    host.free_mib = 29800
    assert await not_returned(host, teardown, FreeMemory(0, before.cards_mib)) == ()
