"""`committee watch`: what it refuses, and a real look that overturns an acceptance made on paper."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from harness.cli.speak import NEGATIVE, USAGE
from ledger.entries import TargetState, Watch
from tests.committee.cli.yard import production, value
from tests.committee.deploy.yard import DeployYard, arm, make_yard


@contextmanager
def somebody_on(yard: DeployYard) -> Iterator[None]:
    """A user who is being answered by production while the block runs."""
    url = yard.harness("attest", "small").out.split(" answers at ")[1].split(";")[0].split(",")[0].strip()
    body = json.dumps({"prompt": "x", "max_tokens": 20_000})
    with httpx.stream("POST", f"{url}/v1/completions", content=body, timeout=60, trust_env=False) as answer:
        lines = answer.iter_lines()  # kept: a reader that is dropped closes the connection
        next(lines)
        yield
        del lines


def test_what_is_refused(ws: Path) -> None:
    yard = make_yard(ws)
    with yard.bench.ledger:
        for words, code, sentence in (
            ((), NEGATIVE, "nothing accepted is in force on 'small', so there is nothing to look at again"),
            (("--window", "night"), USAGE, "--window 'night' is not two times of a day"),
            (("--window", "02:00-06:00", "--json"), USAGE, "--json says one look; add --once"),
        ):
            said = yard.committee("watch", "small", *words)
            assert (said.code, sentence in said.err) == (code, True), said


def test_nothing_is_measured_without_a_yes(ws: Path) -> None:
    yard = make_yard(ws)
    with yard.bench.ledger as ledger, production(yard.folder):
        yard.accept(arm("crawling", **{"token-s": 0.04}), "measure-000001")
        said = yard.committee("watch", "small", "--json")
        assert said.code == USAGE and "'small' would be taken down for that time; say --yes" in said.err, said
        assert ledger.of(Watch) == [] and not ledger.of(TargetState, state="taken_down")


@pytest.mark.system
@pytest.mark.alone
def test_a_look_at_a_real_server_overturns_what_does_not_hold(ws: Path) -> None:
    yard = make_yard(ws)
    with yard.bench.ledger as ledger, production(yard.folder):
        entry = yard.accept(arm("crawling", **{"token-s": 0.04}), "measure-000001")
        with somebody_on(yard):
            for command in (("watch", "small", "--yes"), ("deploy", "0001", "--yes")):
                busy = yard.committee(*command)
                assert busy.code == NEGATIVE and "users are on 'small' (1 requests running" in busy.err, busy
        assert ledger.of(Watch) == [] and not ledger.of(TargetState, state="taken_down")
        assert yard.outcomes() == ["refused"]
        said = yard.committee("watch", "small", "--json", "--yes")
        assert said.code == NEGATIVE and said.out, said
        seen = value(said)
        assert (seen["outcome"], seen["acceptance"]) == ("overturned", entry.id)
        assert "total_tok_s at 2 users is SLOWER now" in seen["detail"]
        assert yard.committee("reopened").code == 0, "what was replaced is not open, and its evidence stands"
        assert "EXPIRED: acceptance" in yard.committee("ticket", "small").out
        refused = yard.committee("deploy", f"#{entry.seq}", "--yes", "--users-accept")
        assert refused.code == NEGATIVE and "has expired" in refused.err
        assert yard.harness("attest", "small").code == NEGATIVE, "production is as it was, not as its file says"
        ((_, look),) = ledger.of(Watch)
        struck = yard.committee("invalidate", look.verdict[:12], "--reason", "somebody compiled on that machine")
        assert struck.code == 0, struck
        fallen = yard.committee("ticket", "small")
        assert fallen.code == 0 and "It holds" in fallen.out, "the mark fell with the verdict that it rests on"
