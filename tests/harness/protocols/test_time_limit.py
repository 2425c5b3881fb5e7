"""A limit shows itself by when the engine gives up; an answer within it shows nothing."""

import pytest

from harness.client.record import RequestRecord
from harness.protocols.time_limit import outcome
from harness.vocabulary.loads import TimeLimit
from harness.vocabulary.outcome import Reason
from tests.harness.protocols.streams import failure, stream, values

SETTINGS = TimeLimit(length=1000, limit_s=300, request_timeout_s=3600)


def test_a_prefill_beyond_the_limit_that_was_served() -> None:
    found = outcome(stream(0, 500.2, prompt=1000), None, SETTINGS)
    assert values(found.metrics) == {("cold_ttft_ms", 1): pytest.approx(500_200)}
    assert found.findings == ("a prefill of 500.2 s was served, longer than 300 s",)


@pytest.mark.parametrize(
    ("record", "after", "reason", "said"),
    [
        (failure(0, 301), failure(), Reason.TIME_LIMIT, "gave up after 301.0 s, its limit is 300 s, and it answers no"),
        (failure(0, 301), stream(302, 303), Reason.TIME_LIMIT, "and it still answers: the sentence"),
        (failure(0, 30), failure(), Reason.REQUEST_FAILED, "the long prompt: the sentence"),
        (failure(0, 3600), stream(0, 1), Reason.REQUEST_FAILED, "the long prompt: the sentence"),
        (stream(0, 132.5, prompt=1000), None, Reason.NOT_REACHED, "within the limit of 300 s"),
        (stream(0, 500.2, prompt=26), None, Reason.WRONG_LENGTH, "counted 26 prompt tokens"),
    ],
)
def test_what_shows_no_lifted_limit(
    record: RequestRecord, after: RequestRecord | None, reason: Reason, said: str
) -> None:
    found = outcome(record, after, SETTINGS)
    assert (found.metrics, found.reason) == ((), reason)
    assert said in found.detail
