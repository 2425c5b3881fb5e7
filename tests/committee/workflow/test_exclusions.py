"""The whole list at one sitting: not a byte of a failed review is in the brief, whatever way it failed."""

import json
from pathlib import Path
from typing import Any

from committee.testing.misbehaving import WIRE_MODES, Misbehaving
from committee.testing.replies import MODES
from committee.vocabulary.config import CommitteeConfig
from committee.vocabulary.exclusion import Reason
from committee.workflow.graph import start
from ledger.entries import Exclusion, Hypothesis, Response
from ledger.store import Ledger
from tests.committee.review.sitting import FREE, openai
from tests.committee.workflow.office import PROPOSAL, office

GOOD = {"good", "fenced", "limited-once", "busy-once", "failing-once", "knows-no-schema", "knows-no-format"}
FAILING = [mode for mode in (*MODES, *WIRE_MODES) if mode not in GOOD and mode != "hold"]
NEVER_SAID = {"silent", "drip", "empty", "spaces", "every-key-empty", "reset"}  # no words, or none that came so far
AGENTS = {
    "exits": "echo {0}; echo {0} >&2; exit 3",
    "silent-exit": "echo {0} >&2; exit 3",
    "no-thread": "echo 'thread start failed {0}' >&2; exit 1",
    "prints-prose": "echo I would try {0}",
}
ELSEWHERE = (
    Reason.OVER_BUDGET,  # nothing is sent, so nothing can be said
    Reason.OUTCOME_UNKNOWN,  # no answer is on record
    Reason.NAME_NOT_FOUND,
    Reason.TLS_FAILED,
)
AGAIN = "limited-without-a-time"  # on a busy machine its time may run out while it is asked again, before a word
UNTIMELY_S = {"silent": 1.5, "drip": 1.5, AGAIN: 1.5}  # only these run into their wall clock


def mark_of(number: int) -> str:
    return f"MARK-q{number}z"


def everybody(base_url: str) -> tuple[CommitteeConfig, dict[str, str]]:
    """One good reviewer and one for every way to fail; and the mark in the words of each."""
    marks = {mode: mark_of(number) for number, mode in enumerate([*FAILING, *AGENTS])}
    seats: list[dict[str, Any]] = [openai("good", "good", base_url)]
    for mode in FAILING:
        seats.append(openai(mode, f"{mode}+{marks[mode]}", base_url, timeout_s=UNTIMELY_S.get(mode, 60)))
    for name, script in AGENTS.items():
        argv = ["sh", "-c", script.format(marks[name])]
        seats.append(FREE | {"name": name, "kind": "command", "argv": argv, "timeout_s": 20, "confined": False})
    rules = {"quorum": 1, "calls_per_endpoint": 100}
    return CommitteeConfig.model_validate({"review": rules, "reviewer": seats}), marks


def said(ledger: Ledger) -> dict[str, bytes]:
    """What each reviewer's last answer really held."""
    return {
        answer.attempt.split("/")[1]: ledger.read_blob(answer.raw.sha256)[:400_000] for _, answer in ledger.of(Response)
    }


async def test_no_byte_of_a_failed_review_is_in_the_brief(server: Misbehaving, tmp_path: Path) -> None:
    settings, marks = everybody(server.base_url)
    with office(tmp_path, settings) as desk:
        result = await start(desk, PROPOSAL)
        assert {name for name, end in result.seats.items() if end == "complete"} == {"good"}
        assert {told.reviewer for _, told in desk.ledger.of(Hypothesis)} == {"good"}
        reasons = {left.reason for _, left in desk.ledger.of(Exclusion)}
        raw = said(desk.ledger)
        details = json.dumps([left.as_json() for _, left in desk.ledger.of(Exclusion)])
    unheard = {name for name, mark in marks.items() if mark.encode() not in raw[name]}
    assert unheard - {AGAIN} == NEVER_SAID, "every other mark was really sent, so it could have leaked"
    shown = [(tmp_path / "proposals" / PROPOSAL / name).read_text() for name in ("brief.md", "brief.html")]
    assert not any("MARK-" in text for text in (*shown, details))
    assert all(name in shown[0] for name in marks), "who was left out is named"
    assert reasons == {reason.value for reason in Reason} - {reason.value for reason in ELSEWHERE}
