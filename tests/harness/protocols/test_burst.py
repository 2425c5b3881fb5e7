"""Bursts are averaged over those of one size."""

import pytest

from harness.protocols.burst import outcome
from harness.vocabulary.outcome import Reason
from tests.harness.protocols.streams import failure, stream, values


def test_metrics_of_each_number_of_requests_at_once() -> None:
    bursts = [
        [stream(0, 1), stream(0, 3)],
        [stream(0, 1), stream(0, 1), stream(0, 1)],
        [stream(0, 2), stream(0, 4)],
    ]
    found = outcome(bursts)
    seen = values(found.metrics)
    assert seen["ttft_ms", 2] == pytest.approx(2500) and seen["ttft_p95_ms", 2] == pytest.approx(3500)
    assert seen["total_tok_s", 2] == pytest.approx((22 / 4 + 22 / 5) / 2)
    assert seen["total_tok_s", 3] == pytest.approx(33 / 2)
    assert {(metric.load, metric.samples) for metric in found.metrics} == {(2, 2), (3, 1)}


def test_a_refused_request_voids_the_trial() -> None:
    found = outcome([[stream(0, 1)], [stream(0, 1), failure()]])
    assert (found.metrics, found.reason, found.detail) == (
        (),
        Reason.REQUEST_FAILED,
        "burst 1 of 2, request 1: the sentence",
    )
