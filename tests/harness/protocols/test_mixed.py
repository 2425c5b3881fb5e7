"""Staggered users: the total of the whole window is smaller than the rate while all stream."""

import pytest

from harness.protocols.mixed import outcome
from harness.vocabulary.outcome import Reason
from tests.harness.protocols.streams import failure, stream, values


def test_two_staggered_users_with_two_rounds_each() -> None:
    users = [
        [stream(0.0, 1.0, 0.1, 31), stream(4.0, 5.0, 0.1, 31)],  # tokens in 1.0-4.0 and 5.0-8.0
        [stream(2.0, 3.0, 0.1, 31), stream(6.0, 7.0, 0.1, 31)],  # tokens in 3.0-6.0 and 7.0-10.0
    ]
    found = outcome(users)
    seen = values(found.metrics)
    assert found.reason is None and len(found.records) == 4
    assert seen["user_tok_s", 2] == pytest.approx(10)
    assert seen["total_tok_s", 2] == pytest.approx(124 / 10)
    # between the last user's first token (3.0) and the first user's last (8.0): 10 + 31 and 30 + 11 tokens in 5 s
    assert seen["streaming_tok_s", 2] == pytest.approx(82 / 5, rel=0.03)
    assert seen["ttft_ms", 2] == pytest.approx(1000)
    assert seen["ttft_p95_ms", 2] == pytest.approx(1000)


def test_one_failed_request_voids_the_trial() -> None:
    found = outcome([[stream(0.0, 1.0)], [stream(0.0, 1.0), failure()]])
    assert (found.metrics, found.reason) == ((), Reason.REQUEST_FAILED)
    assert found.detail == "user 1, round 1: the sentence"
