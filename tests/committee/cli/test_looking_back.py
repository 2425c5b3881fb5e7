"""What costs say of calls that were made, and of those that were not."""

from pathlib import Path

from committee.score.read import calls
from ledger.entries import Attempt, Response
from ledger.store import Ledger
from tests.committee.cli.yard import typed, value
from tests.committee.report.sample import append_sample

RUN = "review-20260804-knobs"


def test_what_never_went_out_is_no_call(tmp_path: Path) -> None:
    (tmp_path / "committee.toml").write_text(
        'schema = 1\n[review]\nquorum = 1\n[[reviewer]]\nname = "a"\nkind = "command"\nargv = ["/bin/sh"]\n'
    )
    with Ledger.open(tmp_path / "records.db", actor="test", create=True) as made:
        append_sample(made)
        blob = made.put_blob(b"prompt", "text/plain")
        for number, sent in ((1, 0), (2, 1)):
            name = f"{RUN}-glm-{number}"
            made.append(Attempt(attempt=name, run=RUN, reviewer="glm", number=number, prompt=blob, nonce="aaaaaaaa"))
            failure = None if sent else "could_not_start"
            made.append(
                Response(
                    attempt=name, raw=blob, finish_reason="stop", served_model="", prompt_tokens=1, sent=sent,
                    completion_tokens=1, elapsed_s=0.0, cost=0.02 * sent, failure=failure, detail="",
                )
            )  # fmt: skip
        assert [call.sent for call in calls(made)] == [0, 1]
    said = typed(tmp_path, "committee", "costs")
    assert "1 calls, 0.02 in all; 1 more never went out" in said.out


def test_a_call_without_a_price_is_not_free(tmp_path: Path) -> None:
    (tmp_path / "committee.toml").write_text(
        'schema = 1\n[review]\nquorum = 1\n[[reviewer]]\nname = "a"\nkind = "command"\nargv = ["/bin/sh"]\n'
    )
    with Ledger.open(tmp_path / "records.db", actor="test", create=True) as made:
        append_sample(made)
        blob = made.put_blob(b"prompt", "text/plain")
        name = f"{RUN}-glm-1"
        made.append(Attempt(attempt=name, run=RUN, reviewer="glm", number=1, prompt=blob, nonce="aaaaaaaa"))
        made.append(
            Response(
                attempt=name, raw=blob, finish_reason="stop", served_model="", prompt_tokens=1, sent=1,
                completion_tokens=1, elapsed_s=0.0, cost=0, unpriced=True, failure=None, detail="",
            )
        )  # fmt: skip
    said = typed(tmp_path, "committee", "costs").out
    assert (
        "1 calls, 0 in all without 1 whose cost is unknown, as their reviewers had no price in committee.toml" in said
    )
    assert said.splitlines()[1].split()[-2:] == ["unknown", "complete"]
    assert said.splitlines()[-1].endswith("; the cost of 1 calls without a price is unknown and not in it")
    (glm,) = [one for one in value(typed(tmp_path, "committee", "reviewers", "--json")) if one["reviewer"] == "glm"]
    assert glm["confirmed"] == 1 and (glm["cost"], glm["cost_a_confirmed"]) == (None, None)
    row = next(line for line in typed(tmp_path, "committee", "reviewers").out.splitlines() if line.startswith("glm"))
    assert "unknown" in row
