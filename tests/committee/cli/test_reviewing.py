"""`committee review`: what a dry run shows, and what stops it before anything is sent."""

import json
from pathlib import Path
from shutil import copytree

from committee.testing.misbehaving import Misbehaving
from ledger.entries import ReviewRun
from tests.committee.cli.yard import PROPOSAL, on_record, typed, value
from tests.committee.cli.yard import TARGET as TARGET_TOML

DEAR = "price_in_per_mtok = 0\nprice_out_per_mtok = 1000\n"
KEY = "sk-" + "proj-" + "Zx81kLmN04pQrS7tUvW2"  # in pieces: a made-up key must not look like one here
OPENAI = """schema = 1
[review]
quorum = 1
[[reviewer]]
name = "glm"
kind = "openai"
base_url = "{}"
model = "good"
"""


def test_a_dry_run_shows_everything_that_would_leave_and_sends_nothing(server: Misbehaving, ws: Path) -> None:
    (ws / "committee.toml").write_text(OPENAI.format(server.base_url))
    said = typed(ws, "committee", "review", "0001", "--dry-run")
    assert (said.code, said.err, server.models) == (0, "", [])
    lines = said.out.splitlines()
    nonce = next(line for line in lines if line.startswith("nonce: ")).removeprefix("nonce: ")
    body = json.loads(lines[lines.index("with it, in the request's body:") + 1])
    assert (body["model"], body["max_tokens"]) == ("good", 4096)
    properties = body["response_format"]["json_schema"]["schema"]["properties"]
    assert (properties["nonce"], properties["proposal"]) == ({"const": nonce}, {"const": PROPOSAL})
    assert lines[-1] == (
        "and the headers: host, content-type, content-length, accept, accept-encoding, connection, user-agent, "
        "authorization"
    )


def test_who_has_no_price_is_not_asked(server: Misbehaving, ws: Path) -> None:
    """Three commands say one sentence, nothing is sent and no run begins; prices of 0 are a price."""
    (ws / "committee.toml").write_text(OPENAI.format(server.base_url))
    checked = typed(ws, "committee", "check", "0001")
    assert checked.code == 1 and "may NOT be submitted" in checked.out
    (sentence,) = [line for line in checked.out.splitlines() if line.startswith("error: ")]
    assert sentence.startswith("error: committee.toml: reviewer glm without a price: what a call costs is unknown")
    for word in ("review", "run"):
        said = typed(ws, "committee", word, "0001")
        assert said.code == 1 and sentence.removeprefix("error: committee.toml: ") in said.err + said.out
    assert server.models == [] and on_record(ws, ReviewRun) == []
    (ws / "committee.toml").write_text(OPENAI.format(server.base_url) + DEAR.replace("1000", "0"))
    assert typed(ws, "committee", "check", "0001").code == 0


def test_a_secret_in_the_target_stops_a_dry_run_and_a_review_and_is_not_shown(ws: Path) -> None:
    leaky = TARGET_TOML.replace('mode = "good", token-s', f'mode = "good", served = "{KEY}", token-s')
    (ws / "targets" / "small.toml").write_text(leaky)
    for words in (("review", "0001", "--dry-run"), ("review", "0001")):
        said = typed(ws, "committee", *words)
        assert said.code == 1
        assert "would be sent looks like it holds a secret" in said.err and len(said.err.splitlines()) == 1
        assert KEY not in said.out + said.err
    if (ws / "records.db").exists():
        shown = typed(ws, "committee", "log", "--json", "--kind", ReviewRun.kind)
        assert json.loads(shown.out) == []


def test_several_proposals_one_of_which_fails_and_one_is_none(ws: Path) -> None:
    """The second's arm is outside the target's list; the third names nothing."""
    whole, broken = ws / "proposals" / PROPOSAL, ws / "proposals" / "0002-broken"
    copytree(whole, broken)
    for file in ("proposal.toml", "arms/fast.toml"):
        text = (broken / file).read_text().replace(PROPOSAL, "0002-broken").replace("0.0005", "7")
        (broken / file).write_text(text)
    said = typed(ws, "committee", "review", "proposals/0001-quicker", "0002", "0001", "none")
    assert said.code == 1
    assert said.out.splitlines()[-1] == "1 of 3 proposals came to their brief"
    assert [line.partition(":")[0] for line in said.err.splitlines()] == ["none", "0002-broken"]
    assert "must be between 0 and 1" in said.err
    assert (whole / "brief.md").exists() and not (broken / "brief.md").exists()
    again = typed(ws, "committee", "review", "0001", "0002", "--json")
    one, two = value(again)
    assert (again.code, one["ended"], one["seats"]) == (1, "", {"first": "complete", "second": "complete"})
    assert two["proposal"] == "0002-broken" and "must be between 0 and 1" in two["ended"]


def test_costs_say_what_is_used_of_the_budgets(ws: Path) -> None:
    """Recorded reviews cost what their file says and use nobody's tokens."""
    limits = (ws / "committee.toml").read_text().replace("[[reviewer]]", f"{DEAR}[[reviewer]]")
    limits = limits.replace(DEAR, "[budget]\nmoney = 5\ntokens = 90000\n", 1)
    (ws / "committee.toml").write_text(limits)
    header = ws / "proposals" / PROPOSAL / "proposal.toml"
    header.write_text(header.read_text().replace("money = 0", "money = 6\ntokens = 80000"))
    assert typed(ws, "committee", "review", "0001").code == 0
    cost = sum(call["cost"] for call in value(typed(ws, "committee", "costs", "0001", "--json")))
    assert cost > 0
    said = typed(ws, "committee", "costs", "0001")
    assert said.out.splitlines()[-2:] == [
        f"the proposal's budget: {cost:.4g} of 6 used, 0 of 80000 tokens",
        f"the workspace's budget: {cost:.4g} of 5 used, 0 of 90000 tokens",
    ]
    assert typed(ws, "committee", "costs").out.splitlines()[-1].startswith("the workspace's budget")
