"""Claimed and measured, side by side and apart."""

from dataclasses import replace

from committee.report.claims import claims
from committee.report.history import History
from committee.report.runs import RunView
from ledger.entries import Hypothesis


def test_every_claim_keeps_its_reviewer_and_what_was_measured(history: History, views: tuple[RunView, ...]) -> None:
    found = claims(history, views, history.review_runs[0].payload)
    assert [(one.reviewer, one.label, one.arm) for one in found] == [
        ("glm", "recorded", "parallel-4"),
        ("glm", "recorded", "one-thread"),
        ("minimax", "recorded", "kv-q8"),
        ("minimax", "recorded", "v-cache-q8"),
        ("gemma", "small CPU model", "no arm"),
    ]
    assert found[1].predicted == "total rate at 4 users same, −5.0 to +5.0 %"
    assert found[1].measured.startswith("−23.4 % (−26.")
    assert found[1].measured.endswith("SLOWER, text IDENTICAL")
    assert found[3].measured == "no number (INVALID)"
    assert found[4].measured == "not measured"


def test_an_arm_that_cannot_be_run_says_why(history: History, views: tuple[RunView, ...]) -> None:
    said = history.hypotheses[0]
    refused = {**said.payload.as_json(), "not_runnable": "flag 'host' is not listed", "arm_fingerprint": None}
    changed = replace(history, hypotheses=(replace(said, payload=Hypothesis.model_validate(refused)),))
    (claim,) = claims(changed, views, history.review_runs[0].payload)
    assert (claim.arm, claim.measured) == ("cannot be run: flag 'host' is not listed", "not measured")


def test_a_void_run_measures_nothing(history: History, views: tuple[RunView, ...]) -> None:
    assert {one.measured for one in claims(history, views[1:2], history.review_runs[0].payload)} == {"not measured"}
