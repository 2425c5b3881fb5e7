"""The probe's times count from its own sending, not from the documents'."""

import pytest

from harness.protocols.priority import Probed, outcome
from harness.vocabulary.loads import Priority
from harness.vocabulary.outcome import Reason
from tests.harness.protocols.streams import failure, stream, values

SETTINGS = Priority(documents=2, length=1000, delay_s=20)
ALONE = stream(0.0, 0.5)
DOCUMENTS = (stream(100.0, 180.0, 1.0, 21, prompt=1000), stream(100.0, 199.0, 1.0, 2, prompt=1000))  # done at 200


def test_a_probe_that_ends_with_the_documents_had_no_priority() -> None:
    beside = stream(120.0, 199.0, 0.1, 11)  # sent 20 s after them, done at 200
    found = outcome(Probed(ALONE, DOCUMENTS, beside), SETTINGS)
    seen = values(found.metrics)
    assert seen["probe_ttft_ms", 2] == pytest.approx(79_000)  # not 99,000
    assert seen["probe_alone_ttft_ms", 2] == pytest.approx(500)
    assert seen["probe_done_share", 2] == pytest.approx(1)
    assert seen["documents_done_s", 2] == pytest.approx(100)
    assert "counted from its own sending 20.00 s after the documents" in found.findings[0]


def test_a_probe_that_is_served_first() -> None:
    seen = values(outcome(Probed(ALONE, DOCUMENTS, stream(120.0, 121.0, 0.1, 11)), SETTINGS).metrics)
    assert seen["probe_done_share", 2] == pytest.approx(2 / 80)


@pytest.mark.parametrize(
    ("probed", "reason", "said"),
    [
        (Probed(ALONE, DOCUMENTS, stream(201.0, 202.0)), Reason.NOT_REACHED, "done 1.0 s before the probe was sent"),
        (Probed(ALONE, DOCUMENTS, failure()), Reason.REQUEST_FAILED, "the probe beside documents"),
        (Probed(ALONE, (failure(),), stream(120.0, 121.0)), Reason.REQUEST_FAILED, "document 0"),
        (Probed(ALONE, (stream(100, 180, prompt=10),), stream(120.0, 121.0)), Reason.WRONG_LENGTH, "document 0"),
    ],
)
def test_a_probe_beside_nothing_is_no_probe(probed: Probed, reason: Reason, said: str) -> None:
    found = outcome(probed, SETTINGS)
    assert (found.metrics, found.reason) == ((), reason)
    assert said in found.detail
