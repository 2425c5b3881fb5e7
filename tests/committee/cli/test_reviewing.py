"""`committee review`: what a dry run shows, and what stops it before anything is sent."""

import json
from pathlib import Path

from committee.testing.misbehaving import Misbehaving
from ledger.entries import ReviewRun
from tests.committee.cli.yard import PROPOSAL, typed
from tests.committee.cli.yard import TARGET as TARGET_TOML

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
