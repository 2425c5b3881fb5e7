"""Paid once: what is committed when, and where asking takes up after a kill."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from committee.review.ask import ask
from committee.review.budget import Allowance
from committee.review.lines import Lines
from committee.review.order import Edge, Order
from committee.review.progress import ReviewerEvent
from committee.review.received import Received
from committee.review.stored import stored
from committee.testing.misbehaving import Misbehaving
from committee.testing.replies import HYPOTHESIS
from committee.vocabulary.config import CommitteeConfig
from harness.vocabulary.base import BadFileError
from ledger.entries import Attempt, Exclusion, Hypothesis, Response, Review, ReviewRun
from ledger.verify import verify
from tests.committee.review.sitting import RUN, config, openai, seat, sitting


def one(server: Misbehaving, mode: str, **changes: Any) -> CommitteeConfig:
    return config(openai("glm", mode, server.base_url, **changes))


async def test_a_complete_review_is_recorded_with_everything_before_it(server: Misbehaving, tmp_path: Path) -> None:
    settings = one(server, "good", price_in_per_mtok=2.0, price_out_per_mtok=10.0)
    events: list[ReviewerEvent] = []
    async with sitting(tmp_path, settings, watch=events.append) as sat:
        assert await ask(sat, seat(settings, "glm")) == "complete"
        kinds = [entry.kind for entry in sat.shared.ledger.entries() if entry.seq > 3]
        assert kinds == ["attempt", "response", "review", "hypothesis"]
        (_, attempt), (_, response) = sat.shared.ledger.of(Attempt)[0], sat.shared.ledger.of(Response)[0]
        assert attempt.attempt == response.attempt == f"{RUN}/glm/1"
        assert (response.finish_reason, response.served_model) == ("stop", "misbehaving")
        assert response.cost == pytest.approx((1000 * 2 + 200 * 10) / 1e6)
        sent = server.requests[0].json()["messages"][0]["content"].encode()
        assert sat.shared.ledger.read_blob(attempt.prompt.sha256) == sent
        assert f"nonce: {attempt.nonce}\n".encode() in sent
        (_, hypothesis) = sat.shared.ledger.of(Hypothesis, run=RUN)[0]
        assert hypothesis.hypothesis == f"{RUN}/glm/1"
        assert hypothesis.arm_fingerprint is not None and hypothesis.not_runnable is None
        assert sat.shared.ledger.of(Review, run=RUN)[0][1].label == "live"
    assert [event.state for event in events] == ["asked", "answered", "complete"]
    assert verify(tmp_path / "records.db").ok


async def test_nothing_of_an_excluded_review_is_anywhere_but_in_its_raw_response(
    server: Misbehaving, tmp_path: Path
) -> None:
    settings = one(server, "other-count")
    async with sitting(tmp_path, settings) as sat:
        assert await ask(sat, seat(settings, "glm")) == "count_differs"
        assert sat.shared.ledger.of(Hypothesis) == [] and sat.shared.ledger.of(Review) == []
        (_, exclusion) = sat.shared.ledger.of(Exclusion, run=RUN)[0]
        assert exclusion.detail == "the answer holds another number of hypotheses than it says"
        words = (HYPOTHESIS["mechanism"], HYPOTHESIS["falsifier"], "slots-4")
        for entry in sat.shared.ledger.entries():
            text = json.dumps(entry.payload.as_json())
            assert not any(word in text for word in words), entry.kind
        raw = sat.shared.ledger.read_blob(sat.shared.ledger.of(Response)[0][1].raw.sha256)
        assert b"four sequences" in raw


async def test_asking_again_after_the_end_sends_nothing(server: Misbehaving, tmp_path: Path) -> None:
    for mode, said in (("good", "complete"), ("empty", "empty")):
        settings = one(server, mode)
        folder = tmp_path / mode
        folder.mkdir()
        async with sitting(folder, settings) as sat:
            assert await ask(sat, seat(settings, "glm")) == said
        async with sitting(folder, settings) as again:
            head = again.shared.ledger.head()
            assert await ask(again, seat(settings, "glm")) == said
            assert again.shared.ledger.head() == head
        assert server.count(mode) == 1


@pytest.mark.parametrize(
    ("mode", "said"), [("good", "complete"), ("cut-by-length", "cut_by_length"), ("no-key", "unauthorised")]
)
async def test_a_stored_answer_goes_through_the_border_again_and_is_not_asked_for(
    server: Misbehaving, tmp_path: Path, mode: str, said: str
) -> None:
    """As after a kill between the response and the review: the ledger ends with the response."""
    settings = one(server, mode)
    async with sitting(tmp_path, settings) as sat:
        await ask(sat, seat(settings, "glm"))
        kept = [entry.payload for entry in sat.shared.ledger.entries("attempt", "response")]
        ((_, asked),), ((_, told),) = sat.shared.ledger.of(Attempt), sat.shared.ledger.of(Response)
        blobs = [sat.shared.ledger.read_blob(ref.sha256) for ref in (asked.prompt, told.raw)]
    later = tmp_path / "later"
    later.mkdir()
    async with sitting(later, settings) as sat:
        for blob, payload in zip(blobs, kept, strict=True):
            sat.shared.ledger.put_blob(blob, "application/octet-stream")
            sat.shared.ledger.append(payload)
        sat.shared.scribe.books.catch_up(sat.shared.ledger)
        assert await ask(sat, seat(settings, "glm")) == said
        assert len(sat.shared.ledger.of(Attempt)) == 1
    assert server.count(mode) == 1


async def test_an_attempt_without_an_answer_is_sent_once_more_and_then_left_out(
    server: Misbehaving, tmp_path: Path
) -> None:
    settings = one(server, "hold")
    for number in (1, 2):
        async with sitting(tmp_path, settings) as sat:
            server.arrived.clear()
            asking = asyncio.ensure_future(ask(sat, seat(settings, "glm")))
            async with asyncio.timeout(10):
                await server.arrived.wait()
            asking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asking
            assert [attempt.number for _, attempt in sat.shared.ledger.of(Attempt)] == list(range(1, number + 1))
            assert sat.shared.ledger.of(Response) == []
    server.released.set()
    async with sitting(tmp_path, settings) as sat:
        assert await ask(sat, seat(settings, "glm")) == "outcome_unknown"
        nonces = {attempt.nonce for _, attempt in sat.shared.ledger.of(Attempt)}
    assert len(nonces) == 2
    assert server.count("hold") == 2


async def test_the_second_attempt_can_be_complete(server: Misbehaving, tmp_path: Path) -> None:
    settings = one(server, "hold")
    async with sitting(tmp_path, settings) as sat:
        asking = asyncio.ensure_future(ask(sat, seat(settings, "glm")))
        async with asyncio.timeout(10):
            await server.arrived.wait()
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        server.released.set()
        assert await ask(sat, seat(settings, "glm")) == "complete"
        assert sat.shared.ledger.of(Review, run=RUN)[0][1].attempt == f"{RUN}/glm/2"


async def test_two_that_ask_for_one_seat_leave_one_review(server: Misbehaving, tmp_path: Path) -> None:
    """The run's lock keeps two from asking at once; without it the second answer still adds nothing."""
    settings = one(server, "hold")
    async with sitting(tmp_path, settings) as sat, sitting(tmp_path, settings) as other:
        first = asyncio.ensure_future(ask(sat, seat(settings, "glm")))
        async with asyncio.timeout(10):
            await server.arrived.wait()
            server.released.set()
            other.shared.scribe.books.catch_up(other.shared.ledger)
            said = await asyncio.gather(first, ask(other, seat(settings, "glm")))
        assert list(said) == ["complete", "complete"]
        assert len(sat.shared.ledger.of(Review)) == 1 == len(sat.shared.ledger.of(Hypothesis))


async def test_a_call_that_could_cost_too_much_is_not_sent(server: Misbehaving, tmp_path: Path) -> None:
    settings = config(
        openai("first", "good", server.base_url, price_out_per_mtok=100.0, max_tokens=6000),
        openai("second", "good+b", server.base_url, price_out_per_mtok=200.0, max_tokens=6000),
    )
    async with sitting(tmp_path, settings) as sat:
        assert await ask(sat, seat(settings, "first")) == "complete"
        assert await ask(sat, seat(settings, "second")) == "over_budget"
        (_, exclusion) = sat.shared.ledger.of(Exclusion)[0]
        assert exclusion.attempt is None
        assert exclusion.detail == "the call could cost more than what is left of the proposal's budget of 1"
        assert (
            await ask(replace(sat, budget=Allowance("the proposal's", 100.0)), seat(settings, "second"))
            == "over_budget"
        )  # it has ended
    assert server.models == ["good"]


async def test_earlier_runs_of_the_proposal_count(server: Misbehaving, tmp_path: Path) -> None:
    """Half the money is gone with an answer that the first run paid for, a quarter with one that never came."""
    settings = one(server, "good", price_out_per_mtok=100.0, max_tokens=2500)
    async with sitting(tmp_path, settings) as sat:
        earlier = sat.shared.ledger.of(ReviewRun)[0][1].model_copy(update={"run": "review-000000"})
        prompt = sat.shared.ledger.put_blob(b"", "text/plain")
        paid, lost = (
            Attempt(
                attempt=f"{earlier.run}/{name}/1", run=earlier.run, reviewer=name, number=1, prompt=prompt, nonce="n"
            )
            for name in ("glm", "gone-since")
        )
        raw = {"raw": prompt, "finish_reason": None, "served_model": None, "prompt_tokens": None}
        answer = Response(
            attempt=paid.attempt, completion_tokens=None, elapsed_s=1, cost=0.5, failure=None, detail="", **raw
        )
        sat.shared.ledger.append_all((earlier, paid, answer))
        assert await ask(sat, seat(settings, "glm")) == "complete"
    later = tmp_path / "later"
    later.mkdir()
    async with sitting(later, settings) as sat:
        sat.shared.ledger.put_blob(b"", "text/plain")
        sat.shared.ledger.append_all((earlier, paid, answer, lost))
        over = replace(sat, budget=Allowance("the proposal's", 0.99))
        assert await ask(over, seat(settings, "glm")) == "over_budget"
    assert server.count("good") == 1


async def test_calls_on_the_way_count_at_their_worst(server: Misbehaving, tmp_path: Path) -> None:
    settings = config(
        openai("first", "hold", server.base_url, price_out_per_mtok=100.0, max_tokens=6000),
        openai("second", "good", server.base_url, price_out_per_mtok=100.0, max_tokens=6000),
    )
    async with sitting(tmp_path, settings) as sat:
        first = asyncio.ensure_future(ask(sat, seat(settings, "first")))
        async with asyncio.timeout(10):
            await server.arrived.wait()
            assert await ask(sat, seat(settings, "second")) == "over_budget"
            server.released.set()
            assert await first == "complete"


async def test_an_arm_outside_the_target_is_kept_and_said_to_be_not_runnable(tmp_path: Path) -> None:
    arm = {"name": "far", "flags": {"n-parallel": 99}}
    answer = {"proposal": "0001-which-knob", "count": 1, "hypotheses": [dict(HYPOTHESIS) | {"arm": arm}]}
    path = tmp_path / "far.json"
    path.write_text(json.dumps({"label": "recorded", "model": "m", "answer": answer}))
    settings = config({"name": "rec", "kind": "recorded", "recording": str(path)})
    async with sitting(tmp_path, settings) as sat:
        assert await ask(sat, seat(settings, "rec")) == "complete"
        (_, hypothesis) = sat.shared.ledger.of(Hypothesis)[0]
        assert hypothesis.arm_fingerprint is None
        assert hypothesis.not_runnable == (
            "arm 'far': flag 'n-parallel' = 99 must be between 1 and 8 for target 'demo'"
        )
        assert sat.shared.ledger.of(Review)[0][1].label == "recorded"


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        ({"money": 0.5}, "the call could cost more than what is left of the workspace's budget of 0.5"),
        ({"tokens": 8000}, "the call could use more than what is left of the workspace's budget of 8000 tokens"),
    ],
)
async def test_the_workspaces_budget_holds_over_proposals(
    server: Misbehaving, tmp_path: Path, limit: dict[str, float], said: str
) -> None:
    """The first call is on its way for another proposal, so it counts at its worst."""
    seats = [
        openai(name, "hold", server.base_url, price_out_per_mtok=100.0, max_tokens=4000) for name in ("first", "second")
    ]
    settings = CommitteeConfig.model_validate({"review": {"quorum": 1}, "budget": limit, "reviewer": seats})
    async with sitting(tmp_path, settings) as sat:
        begun = sat.shared.ledger.of(ReviewRun)[0][1]
        sat.shared.ledger.append(begun.model_copy(update={"run": "review-000002", "proposal": "0002-other"}))
        revision = replace(sat.subject.revision, proposal="0002-other")
        other = replace(sat, run="review-000002", subject=replace(sat.subject, revision=revision))
        first = asyncio.ensure_future(ask(sat, seat(settings, "first")))
        async with asyncio.timeout(10):
            await server.arrived.wait()
            assert await ask(other, seat(settings, "second")) == "over_budget"
            server.released.set()
            assert await first == "complete"
        assert [left.detail for _, left in sat.shared.ledger.of(Exclusion)] == [said]
        assert await ask(sat, seat(settings, "second")) == "complete", "the first used less than its worst"


async def test_the_proposals_tokens_hold(server: Misbehaving, tmp_path: Path) -> None:
    settings = one(server, "good", max_tokens=1000)
    async with sitting(tmp_path, settings, Allowance("the proposal's", 1.0, 1000)) as sat:
        assert await ask(sat, seat(settings, "glm")) == "over_budget"
        assert "budget of 1000 tokens" in sat.shared.ledger.of(Exclusion)[0][1].detail
    assert server.models == []


@pytest.mark.parametrize(("mode", "reason"), [("failing", "server_error"), ("reset", "connection_failed")])
async def test_a_server_that_fails_is_asked_once_more_as_an_attempt_of_its_own(
    server: Misbehaving, tmp_path: Path, mode: str, reason: str
) -> None:
    settings = one(server, mode)
    async with sitting(tmp_path, settings) as sat:
        assert await ask(sat, seat(settings, "glm")) == reason
        attempts = [attempt for _, attempt in sat.shared.ledger.of(Attempt)]
        assert [attempt.number for attempt in attempts] == [1, 2]
        assert len({attempt.nonce for attempt in attempts}) == 2
        assert len(sat.shared.ledger.of(Response)) == 2
        assert sat.shared.ledger.of(Exclusion)[0][1].attempt == f"{RUN}/glm/2"
    assert server.count(mode) == 2


async def test_a_server_that_failed_once_is_heard_the_second_time(server: Misbehaving, tmp_path: Path) -> None:
    settings = one(server, "failing-once")
    async with sitting(tmp_path, settings) as sat:
        assert await ask(sat, seat(settings, "glm")) == "complete"
        assert sat.shared.ledger.of(Review)[0][1].attempt == f"{RUN}/glm/2"


async def test_no_more_calls_are_on_their_way_to_one_endpoint_than_is_said(server: Misbehaving, tmp_path: Path) -> None:
    seats = [openai(f"r{number}", "hold", server.base_url) for number in range(4)]
    settings = CommitteeConfig.model_validate({"review": {"quorum": 1, "calls_per_endpoint": 2}, "reviewer": seats})
    async with sitting(tmp_path, settings) as sat, asyncio.timeout(20):
        asking = [asyncio.ensure_future(ask(sat, seat(settings, f"r{number}"))) for number in range(4)]
        while server.count("hold") < 2:
            server.arrived.clear()
            await server.arrived.wait()
        assert len(sat.shared.ledger.of(Attempt)) == 2, "the others have no intent on record either"
        server.released.set()
        assert await asyncio.gather(*asking) == ["complete"] * 4
    assert server.most_at_once == 2


async def test_a_hypothesis_that_cites_nothing_is_marked(server: Misbehaving, tmp_path: Path) -> None:
    """Nothing in it is false, so the review stands; but nothing supports it either."""
    settings = one(server, "good")
    async with sitting(tmp_path, settings) as sat:
        assert await ask(sat, seat(settings, "glm")) == "complete"
        told = sat.shared.ledger.of(Hypothesis)[0][1]
        assert told.citations == () and told.unsupported


async def test_two_that_begin_one_seat_at_the_same_time_do_not_both_ask(server: Misbehaving, tmp_path: Path) -> None:
    """As from two machines at one ledger, where no lock holds: the second sees the first one's intent."""
    settings = one(server, "hold")
    async with sitting(tmp_path, settings) as sat, sitting(tmp_path, settings) as other:
        first = asyncio.ensure_future(ask(sat, seat(settings, "glm")))
        async with asyncio.timeout(30):
            await server.arrived.wait()
            with pytest.raises(BadFileError, match=f"another process asks 'glm' in run {RUN} just now"):
                await ask(other, seat(settings, "glm"))
            server.released.set()
            assert await first == "complete"
    assert server.count("hold") == 1


@pytest.mark.parametrize("change", [{"model": "good+b"}, {"kind": "command", "argv": ["good"]}])
async def test_a_seat_is_asked_of_nobody_else(server: Misbehaving, tmp_path: Path, change: dict[str, Any]) -> None:
    settings = one(server, "good")
    async with sitting(tmp_path, config(openai("glm", "good", server.base_url) | change)) as sat:
        with pytest.raises(
            BadFileError, match=r"as reviewer 'glm', but the run began with 'good' \(openai\); put it back"
        ):
            await ask(sat, seat(settings, "glm"))
    assert server.models == []


async def test_a_price_taken_out_since_the_run_began(server: Misbehaving, tmp_path: Path) -> None:
    """Nothing is sent under a budget in money, and the seat stays open for when the prices are back."""
    settings = one(server, "good")
    unpriced = one(server, "good", price_in_per_mtok=None, price_out_per_mtok=None)
    async with sitting(tmp_path, unpriced) as sat:
        with pytest.raises(BadFileError, match=r"reviewer glm without a price: .* the proposal's budget of 1 cannot"):
            await ask(sat, seat(settings, "glm"))
        assert server.models == [] and sat.shared.ledger.of(Attempt) == []
    async with sitting(tmp_path, settings) as sat:
        assert await ask(sat, seat(settings, "glm")) == "complete"


async def test_an_answer_that_says_it_took_no_tokens_is_booked_at_its_worst(tmp_path: Path) -> None:
    settings = config(openai("glm", "m", "http://127.0.0.1:9/v1", price_out_per_mtok=100.0, max_tokens=2500))
    choice = {"finish_reason": "stop", "message": {"content": "x" * 20_000}}
    usage = {"prompt_tokens": 0, "completion_tokens": 0}

    async def free(_order: Order, _edge: Edge, _lines: Lines) -> Received:
        return Received("openai", json.dumps({"choices": [choice], "usage": usage}).encode())

    async with sitting(tmp_path, settings, caller=free) as sat:
        assert await ask(sat, seat(settings, "glm")) == "invalid_json"
        (_, answer), (_, attempt) = sat.shared.ledger.of(Response)[0], sat.shared.ledger.of(Attempt)[0]
        assert answer.cost == pytest.approx(0.25)
        assert answer.prompt_tokens is None and answer.completion_tokens is None
        assert sat.shared.scribe.books.spent_on().tokens == attempt.prompt.size / 2 + 2500


async def test_a_stored_answer_says_itself_how_it_came(tmp_path: Path) -> None:
    agent = {"name": "agent", "kind": "command", "argv": ["echo", "no"], "confined": False}
    settings = config(agent)
    async with sitting(tmp_path, settings) as sat:
        assert await ask(sat, seat(settings, "agent")) == "invalid_json"
        received = stored(sat.shared.ledger, sat.shared.ledger.of(Attempt)[0][1])
        assert received is not None and (received.wire, received.raw) == ("command", b"no\n")
