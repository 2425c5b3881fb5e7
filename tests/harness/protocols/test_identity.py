"""One prompt, one answer: where texts leave each other, and what that means by the criteria."""

import pytest

from harness.client.record import RequestRecord
from harness.protocols.identity import Answers, outcome
from harness.vocabulary.loads import Identity
from harness.vocabulary.outcome import Reason
from tests.harness.protocols.streams import failure, stream, values

SETTINGS = Identity(prompts=2, users=2)


def said(text: str) -> RequestRecord:
    return stream(0, 1, text=text)


SAME = Answers((said("abcd"), said("abcd")), (said("abcd"),))
LOADED = Answers((said("abcd"), said("abcd")), (said("abXd"),))
VARIES = Answers((said("abcd"), said("ab")), (said("abcd"),))


def test_all_texts_alike() -> None:
    found = outcome([SAME, SAME], SETTINGS)
    seen = values(found.metrics)
    assert (seen["identical_alone_share", 1], seen["identical_loaded_share", 2]) == (1, 1)
    assert seen["user_tok_s", 1] == pytest.approx(10)
    assert (found.texts, found.findings) == (("abcd", "abcd"), ())


def test_a_text_that_changes_under_load_is_reported_with_its_place_and_sizes() -> None:
    found = outcome([SAME, LOADED], SETTINGS)
    assert values(found.metrics)["identical_loaded_share", 2] == 0.5
    assert found.findings == ("prompt 1 under load: the text differs from character 2 on (4 and 4 bytes)",)
    assert outcome([VARIES], SETTINGS).findings[0].endswith("from character 2 on (4 and 2 bytes)")


@pytest.mark.parametrize(
    ("must", "answers", "reason"),
    [
        ("report", VARIES, None),
        ("alone", VARIES, Reason.TEXT_VARIES),
        ("alone", LOADED, None),
        ("loaded", LOADED, Reason.TEXT_VARIES),
        ("loaded", VARIES, Reason.TEXT_VARIES),
        ("loaded", SAME, None),
    ],
)
def test_what_has_to_be_identical_is_the_criterias(must: str, answers: Answers, reason: Reason | None) -> None:
    assert outcome([answers], SETTINGS.model_copy(update={"must": must})).reason is reason


def test_a_failed_request_voids_the_trial() -> None:
    found = outcome([SAME, Answers((failure(),), ())], SETTINGS)
    assert (found.metrics, found.reason, found.detail) == (
        (),
        Reason.REQUEST_FAILED,
        "prompt 1 alone, answer 0: the sentence",
    )
