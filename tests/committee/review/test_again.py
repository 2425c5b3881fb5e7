"""How often a reviewer is asked, for every way an attempt can end."""

import pytest

from committee.review.again import FAILED, WAIT_S, Ask, Tried, next_step
from committee.review.received import Accepted, Excluded
from committee.vocabulary.exclusion import Reason
from committee.vocabulary.review import ReviewAnswer
from ledger.entries import Attempt, BlobRef

PROMPT = BlobRef(sha256="0" * 64, size=0, media_type="text/plain")
ATTEMPT = Attempt(
    attempt="review-000001/glm/1", run="review-000001", reviewer="glm", number=1, prompt=PROMPT, nonce="n"
)
UNKNOWN = Tried(ATTEMPT)
GOOD = Tried(ATTEMPT, Accepted(ReviewAnswer(nonce="n", proposal="p", count=0, hypotheses=())))
TIMEOUT_S = 60.0


def left(reason: Reason, elapsed_s: float = 2.0, asked_to_wait_s: float = 0.0, went_out: bool = True) -> Tried:
    return Tried(ATTEMPT, Excluded(reason, "said"), elapsed_s, asked_to_wait_s, went_out)


def test_nobody_was_asked_yet() -> None:
    assert next_step([], TIMEOUT_S) == Ask(0.0, 0.0)


def test_after_two_of_unknown_outcome_nobody_asks_again() -> None:
    assert next_step([UNKNOWN], TIMEOUT_S) == Ask(0.0, 0.0)
    end = next_step([UNKNOWN, UNKNOWN], TIMEOUT_S)
    assert isinstance(end, Excluded) and end.reason is Reason.OUTCOME_UNKNOWN


@pytest.mark.parametrize("reason", sorted(FAILED))
def test_a_failed_attempt_is_made_once_more(reason: Reason) -> None:
    assert next_step([left(reason)], TIMEOUT_S) == Ask(WAIT_S, 2.0 + WAIT_S)
    assert next_step([left(reason, asked_to_wait_s=7)], TIMEOUT_S) == Ask(7.0, 9.0)
    assert next_step([left(reason), left(reason)], TIMEOUT_S) == Excluded(reason, "said")
    assert next_step([left(reason), GOOD], TIMEOUT_S) == GOOD.outcome


def test_a_run_that_was_stopped_once_ends_as_one_that_was_not() -> None:
    failed = left(Reason.SERVER_ERROR)
    for tried in ([UNKNOWN, failed], [failed, UNKNOWN]):
        assert isinstance(next_step(tried, TIMEOUT_S), Ask)
    for whole in ([UNKNOWN, failed, failed], [failed, UNKNOWN, failed]):
        assert next_step(whole, TIMEOUT_S) == failed.outcome


@pytest.mark.parametrize("reason", sorted(set(Reason) - FAILED))
def test_no_other_end_is_tried_again(reason: Reason) -> None:
    assert next_step([left(reason)], TIMEOUT_S) == Excluded(reason, "said")


def test_what_never_went_out_was_tried_long_enough() -> None:
    gone = left(Reason.CONNECTION_FAILED, went_out=False)
    assert next_step([gone], TIMEOUT_S) == gone.outcome


def test_all_attempts_share_one_wall_clock() -> None:
    late = left(Reason.SERVER_ERROR, elapsed_s=59.5)
    assert next_step([late], TIMEOUT_S) == late.outcome
    assert next_step([left(Reason.SERVER_ERROR, 1.0, asked_to_wait_s=3600)], TIMEOUT_S) == late.outcome
