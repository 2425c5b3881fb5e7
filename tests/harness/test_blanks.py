"""A private value is blanked in every form that programs write it in, and nothing else is touched."""

import base64
import json
from urllib.parse import quote

import pytest

from harness.blanks import Blanks
from harness.gates.base import failed
from harness.vocabulary.outcome import GateName, Reason
from ledger.entries import TargetState

VALUE = 'pass/word+"zwölf" 12'
BLANKS = Blanks.of({"HF_TOKEN": VALUE, "SHORT": "abc12", "HERE": "127.0.0.1"})
WORD = "[private HF_TOKEN]"


@pytest.mark.parametrize(
    "written",
    [VALUE, quote(VALUE), quote(VALUE, safe=""), json.dumps(VALUE)[1:-1], json.dumps(VALUE, ensure_ascii=False)[1:-1]],
)
def test_every_form_is_blanked(written: str) -> None:
    assert BLANKS.text(f"a={written}; b={written}") == f"a={WORD}; b={WORD}"


@pytest.mark.parametrize("before", ["", "u", "us", "user"])
def test_so_is_base64_wherever_it_begins(before: str) -> None:
    token = "hf_notarealone12345"
    written = base64.b64encode(f"{before}:{token}:x".encode()).decode()
    told = Blanks.of({"T": token}).text(written)
    assert "[private T]" in told
    left = told.replace("[private T]", "")
    assert len(left) <= len(written) - len(token), "what is left holds the ends only"


def test_lines_of_a_long_value_are_blanked_one_by_one() -> None:
    blanks = Blanks.of({"KEY": "first line\nsecond line\n"})
    assert blanks.text("x second line y\nfirst line") == "x [private KEY] y\n[private KEY]"


def test_short_values_and_loopback_addresses_are_left_alone() -> None:
    assert BLANKS.text("abc12 at http://127.0.0.1:8000") == "abc12 at http://127.0.0.1:8000"


def test_the_longer_of_two_goes_first() -> None:
    assert Blanks.of({"A": "secret", "B": "secret-and-more"}).text("secret-and-more") == "[private B]"


def test_whole_values_are_cleaned_and_keep_their_kind() -> None:
    gate = failed(GateName.READY, Reason.DIED, f"it said {VALUE}", texts=(VALUE, "b"))
    assert BLANKS.whole((gate, {VALUE: [VALUE, 1, None]})) == (
        failed(GateName.READY, Reason.DIED, f"it said {WORD}", texts=(WORD, "b")),
        {WORD: [WORD, 1, None]},
    )
    values = {"target": "t", "state": "up", "by": "person", "evidence": VALUE}
    state = TargetState(**values, run=None, pid=None, start_time=None, url=None)
    assert BLANKS.whole(state) == state.model_copy(update={"evidence": WORD})
