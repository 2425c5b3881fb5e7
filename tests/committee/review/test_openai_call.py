"""Over real sockets: each way a server misbehaves ends in its own exclusion, within the wall clock."""

import asyncio
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

from committee.review.border import judge
from committee.review.lines import MAX_BODY_BYTES, SENT_HEADERS, endpoint_of, lines
from committee.review.openai_call import call_openai, retry_after_s
from committee.review.order import Edge, Order
from committee.review.received import Accepted, Excluded, Expected, Received
from committee.testing.misbehaving import WIRE_MODES, Misbehaving
from committee.testing.replies import MODES
from committee.vocabulary.config import Reviewer
from committee.vocabulary.exclusion import Reason
from tests.harness.client.certificates import ends

NONCE = "abcdef012345"
EXPECTED = Expected(NONCE, "0001-which-knob", {"PROPOSAL.md": b""})
PROMPT = f"nonce: {NONCE}\nproposal: 0001-which-knob\n"
EDGE = Edge({"GOOD_KEY": "k-123", "BAD_KEY": "clé\n"})


async def ask(server: Misbehaving, mode: str, **changes: object) -> Received:
    settings = {"name": "r", "kind": "openai", "base_url": server.base_url, "model": mode, "timeout_s": 10} | changes
    order = Order(Reviewer.model_validate(settings), PROMPT, {"type": "object"}, ())
    async with lines(1) as own:
        return await call_openai(order, order.reviewer.base_url, EDGE, own)


@pytest.mark.parametrize(
    ("mode", "reason"),
    [
        ("limited-for-long", Reason.RATE_LIMITED),
        ("busy-for-long", Reason.UNAVAILABLE),
        ("failing", Reason.SERVER_ERROR),
        ("failing-once", Reason.SERVER_ERROR),
        ("bad-gateway", Reason.SERVER_ERROR),
        ("gateway-timeout", Reason.SERVER_ERROR),
        ("no-key", Reason.UNAUTHORISED),
        ("forbidden", Reason.UNAUTHORISED),
        ("no-model", Reason.MODEL_NOT_FOUND),
        ("bad-request", Reason.BAD_REQUEST),
        ("redirected", Reason.BAD_REQUEST),
        ("endless-refusal", Reason.BAD_REQUEST),
        ("refused-in-no-charset", Reason.BAD_REQUEST),
        ("html", Reason.NOT_A_COMPLETION),
        ("stream", Reason.NOT_A_COMPLETION),
        ("stream-cut", Reason.NO_FINISH),
        ("error-in-stream", Reason.ERROR_IN_BODY),
        ("no-choices", Reason.NOT_A_COMPLETION),
        ("error-in-body", Reason.ERROR_IN_BODY),
        ("no-finish", Reason.NO_FINISH),
        ("cut-by-length", Reason.CUT_BY_LENGTH),
        ("filtered", Reason.FILTERED),
        ("tool-call", Reason.TOOL_CALLS),
        ("empty", Reason.EMPTY),
        ("spaces", Reason.EMPTY),
        ("in-reasoning", Reason.ANSWER_IN_REASONING),
        ("in-reasoning-of-vllm", Reason.ANSWER_IN_REASONING),
        ("every-key-empty", Reason.EMPTY),
        ("thinking-leaked", Reason.THINKING_LEAKED),
        ("prose", Reason.INVALID_JSON),
        ("rambling", Reason.INVALID_JSON),
        ("cut-json", Reason.INVALID_JSON),
        ("same-key-twice", Reason.DUPLICATE_KEYS),
        ("wrong-shape", Reason.WRONG_SHAPE),
        ("outside-enum", Reason.WRONG_SHAPE),
        ("no-nonce", Reason.NONCE_MISSING),
        ("old-nonce", Reason.NONCE_MISSING),
        ("other-count", Reason.COUNT_DIFFERS),
        ("other-proposal", Reason.OTHER_PROPOSAL),
        ("unknown-file", Reason.UNKNOWN_FILE_CITED),
        ("echo", Reason.EXAMPLE_ECHOED),
        ("false-quotes", Reason.FALSE_QUOTES),
        ("very-long", Reason.TOO_LONG),
        ("endless-body", Reason.TOO_LONG),
        ("cut-body", Reason.CONNECTION_FAILED),
        ("reset", Reason.CONNECTION_FAILED),
    ],
)
async def test_each_mode_has_its_reason_and_is_asked_once(server: Misbehaving, mode: str, reason: Reason) -> None:
    outcome = judge(await ask(server, mode), EXPECTED)
    assert isinstance(outcome, Excluded), outcome
    assert outcome.reason is reason
    assert server.count(mode) == 1


@pytest.mark.parametrize(("mode", "asked"), [("good", 1), ("fenced", 1), ("limited-once", 2), ("busy-once", 2)])
async def test_a_complete_review_arrives(server: Misbehaving, mode: str, asked: int) -> None:
    received = await ask(server, mode)
    outcome = judge(received, EXPECTED)
    assert isinstance(outcome, Accepted), outcome
    assert outcome.answer.hypotheses[0].predicted.load == 4
    assert server.count(mode) == asked == received.sent


@pytest.mark.parametrize("mode", ["silent", "drip"])
async def test_the_wall_clock_holds_for_the_whole_call(server: Misbehaving, mode: str) -> None:
    begun = time.monotonic()
    received = await ask(server, mode, timeout_s=0.6)
    assert received.failure is Reason.TIMED_OUT
    assert received.detail == "no whole answer within 0.6 s"
    assert 0.5 < time.monotonic() - begun < 3
    assert server.count(mode) == 1


async def test_what_came_before_a_cut_is_kept(server: Misbehaving) -> None:
    received = await ask(server, "cut-body")
    assert received.raw.startswith(b'{"object": "chat.completion"')
    assert received.failure is Reason.CONNECTION_FAILED


async def test_the_raw_body_of_a_refusal_is_kept(server: Misbehaving) -> None:
    received = await ask(server, "no-key")
    assert received.raw == b'{"error": {"message": "refused with 401"}}'
    assert "refused with" not in received.detail


async def test_a_key_goes_out_under_its_name_only_and_no_other_variable_does(
    server: Misbehaving, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "of-another")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-another")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "project-of-another")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    received = await ask(server, "good", key_env="GOOD_KEY")
    assert received.failure is None
    headers = server.requests[0].headers
    assert headers["authorization"] == "Bearer k-123"
    assert "of-another" not in " ".join(headers.values())


async def test_calls_of_one_key_share_a_client_and_another_key_has_its_own() -> None:
    async with lines(2) as shared:
        first, again = (
            await shared.sdk("http://127.0.0.1:9/v1", "k-1"),
            await shared.sdk("http://127.0.0.1:9/v1", "k-1"),
        )
        other = await shared.sdk("http://127.0.0.1:9/v1", "k-2")
    assert first is again and (first.api_key, other.api_key) == ("k-1", "k-2")


async def test_a_missing_key_is_not_sent(server: Misbehaving) -> None:
    received = await ask(server, "good", key_env="NOT_THERE")
    assert (received.failure, received.detail) == (
        Reason.COULD_NOT_START,
        "the environment variable 'NOT_THERE' is not set, so nothing was sent",
    )
    assert received.sent == 0
    assert server.models == []


async def test_a_key_that_is_no_header_is_not_sent_and_costs_nothing(server: Misbehaving) -> None:
    received = await ask(server, "good", key_env="BAD_KEY")
    assert (received.failure, received.sent) == (Reason.COULD_NOT_START, 0)
    assert received.detail.startswith("the key in 'BAD_KEY' holds blanks, line ends or signs that no key has")
    assert server.models == []


async def test_of_an_endless_refusal_no_more_is_read_than_is_kept(server: Misbehaving) -> None:
    received = await ask(server, "endless-refusal")
    assert MAX_BODY_BYTES <= len(received.raw) < MAX_BODY_BYTES + 200_000


async def test_the_answer_format_is_asked_for(server: Misbehaving) -> None:
    await ask(server, "good")
    await ask(server, "good", answer_format="json_object")
    await ask(server, "good", answer_format="none")
    formats = [request.json().get("response_format") for request in server.requests]
    schema = {"name": "review", "schema": {"type": "object"}}
    assert formats == [{"type": "json_schema", "json_schema": schema}, {"type": "json_object"}, None]


async def test_nobody_listening_is_a_failed_connection(server: Misbehaving) -> None:
    async with asyncio.timeout(10):
        gone = await asyncio.start_server(lambda _reader, _writer: None, "127.0.0.1", 0)
        address = f"http://127.0.0.1:{gone.sockets[0].getsockname()[1]}/v1"
        gone.close()
        await gone.wait_closed()
        received = await ask(server, "good", base_url=address, timeout_s=1.2)
    assert (received.failure, received.detail) == (Reason.CONNECTION_FAILED, "no connection could be made")
    assert received.sent == 0


async def test_a_name_that_nobody_knows(server: Misbehaving) -> None:
    received = await ask(server, "good", base_url="https://reviewer.invalid/v1", timeout_s=1.45)
    assert (received.failure, received.sent) == (Reason.NAME_NOT_FOUND, 0)
    assert received.detail == "no server of that name is known here (DNS)"


async def test_too_many_requests_without_a_time_is_asked_again_within_the_wall_clock(server: Misbehaving) -> None:
    received = await ask(server, "limited-without-a-time", timeout_s=3.4)
    assert received.failure is Reason.RATE_LIMITED
    assert received.sent == server.count("limited-without-a-time") == 3, "after half a second and after one"


async def test_every_mode_of_the_server_is_tried_here() -> None:
    tried = Path(__file__).read_text(encoding="utf-8")
    assert [mode for mode in (*MODES, *WIRE_MODES) if f'"{mode}"' not in tried and mode != "hold"] == []


async def test_a_request_says_nothing_about_this_machine(server: Misbehaving) -> None:
    await ask(server, "good")
    headers = server.requests[0].headers
    assert set(headers) == set(SENT_HEADERS)
    assert headers["user-agent"] == "committee"


async def test_a_server_without_tls_is_told_apart(server: Misbehaving) -> None:
    def plain(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(plain, "127.0.0.1", 0) as listening:
        address = f"https://127.0.0.1:{listening.sockets[0].getsockname()[1]}/v1"
        received = await ask(server, "good", base_url=address)
    assert (received.failure, received.sent) == (Reason.TLS_FAILED, 0)


async def test_a_certificate_that_nobody_vouches_for(server: Misbehaving, tmp_path: Path) -> None:
    """Over TLS that works, with a certificate of its own for another name."""
    both = ends(tmp_path, "elsewhere.example")
    async with await asyncio.start_server(lambda _r, _w: None, "127.0.0.1", 0, ssl=both.server) as listening:
        address = f"https://127.0.0.1:{listening.sockets[0].getsockname()[1]}/v1"
        received = await ask(server, "good", base_url=address)
    assert (received.failure, received.sent) == (Reason.TLS_FAILED, 0)
    assert received.detail == "the server could not prove who it is (TLS)"


def in_seconds(seconds: float) -> str:
    return format_datetime(datetime.now(UTC) + timedelta(seconds=seconds), usegmt=True)


@pytest.mark.parametrize(
    ("said", "least", "most"),
    [
        ("7", 7, 7),
        ("1.5", 1.5, 1.5),
        ("-3", 0, 0),
        ("nan", 0, 0),
        ("1e9", 86_400, 86_400),
        ("soon", 0, 0),
        ("in an hour", 3000, 3601),
        ("half a minute ago", 0, 0),
        ("Sun, 06 Nov 1994 08:49:37", 0, 0),
        ("Mon, 01 Jan 99999999999999999999 00:00:00 GMT", 0, 0),
        ("Mon, 01 Jan 2024 00:00:00 +99999999999999999999", 0, 0),
    ],
)
def test_when_to_come_again_is_read_as_seconds_or_as_a_date(said: str, least: float, most: float) -> None:
    dates = {"in an hour": in_seconds(3600), "half a minute ago": in_seconds(-30)}  # not in the tests' names: they vary
    assert least <= retry_after_s({"retry-after": dates.get(said, said)}) <= most


@pytest.mark.parametrize("mode", ["no-key", "bad-request", "forbidden", "no-model", "failing", "reset"])
async def test_what_may_not_be_sent_again_is_not_even_with_a_time_to_come_again(server: Misbehaving, mode: str) -> None:
    assert (await ask(server, mode, timeout_s=20)).failure is not None
    assert server.count(mode) == 1


@pytest.mark.parametrize(
    ("mode", "asked", "held_to", "times"),
    [
        ("knows-no-schema", "json_schema", "json_object", 2),
        ("knows-no-format", "json_schema", "none", 3),
        ("knows-no-format", "none", "none", 1),
        ("good", "json_schema", "json_schema", 1),
    ],
)
async def test_a_server_that_knows_no_schema_is_asked_for_less_and_that_is_recorded(
    server: Misbehaving, mode: str, asked: str, held_to: str, times: int
) -> None:
    received = await ask(server, mode, answer_format=asked)
    assert (received.failure, received.held_to, server.count(mode)) == (None, held_to, times)


def test_one_endpoint_has_one_limit_however_its_address_is_written() -> None:
    written = ["https://api.example.org/v1", "https://API.example.org.:443/v2", "https://api.example.org:0443/"]
    seats = [Reviewer(name="r", kind="openai", base_url=address, model="m") for address in written]
    assert {endpoint_of(seat) for seat in seats} == {"api.example.org:443"}
