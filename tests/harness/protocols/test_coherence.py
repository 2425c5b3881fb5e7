"""Both sides: loops of forced length, and next to nothing of free length."""

from dataclasses import replace

import pytest

from harness.client.record import RequestRecord
from harness.protocols.coherence import outcome
from harness.vocabulary.outcome import Reason
from tests.harness.protocols.streams import TEXT, failure, stream, values


def said(text: str = TEXT, tokens: int = 120) -> RequestRecord:
    return replace(stream(0, 1, 0.1, tokens, text=text), tokens=tokens)


LOOP = said("<h2>" * 120)
WORD = said("Yes", 2)  # a perfect share of distinct words


def test_good_answers() -> None:
    found = outcome([said(), said()], [said()], 0)
    seen = values(found.metrics)
    assert (seen["incoherent", 1], found.findings) == (0, ())
    assert seen["user_tok_s", 1] == pytest.approx(10)


@pytest.mark.parametrize(
    ("forced", "free", "reason", "place"),
    [
        ([LOOP, said()], [said(), said()], Reason.DEGENERATE, "prompt 0, forced length"),
        ([said(), said()], [said(), WORD], Reason.TOO_FEW_TOKENS, "prompt 1, free length"),
        ([said(), failure()], [], Reason.REQUEST_FAILED, "prompt 1, forced length"),
    ],
)
def test_each_side_is_caught_where_the_other_is_blind(
    forced: list[RequestRecord], free: list[RequestRecord], reason: Reason, place: str
) -> None:
    found = outcome(forced, free, 0)
    assert (found.metrics, found.reason) == ((), reason)
    assert place in found.detail and found.detail.startswith("1 of ")


def test_a_few_may_be_incoherent_where_the_criteria_say_so_but_never_all() -> None:
    found = outcome([said(), said()], [said(), WORD], 1)
    assert values(found.metrics)["incoherent", 1] == 1
    assert found.findings[0].startswith("prompt 1, free length: ")
    assert outcome([LOOP], [WORD], 5).reason is Reason.DEGENERATE
    assert values(outcome([failure()], [said()], 1).metrics) == {("incoherent", 1): 1}  # no rate of a failed request
