"""Recorded reviews go over real HTTP, say that they are recorded, and repeat the nonce of the request."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from committee.review.border import judge
from committee.review.completion import facts
from committee.review.order import Edge, Order
from committee.review.received import Accepted, Expected
from committee.review.recorded import Recording, main, read_recording, serving_recordings
from committee.vocabulary.config import Reviewer
from committee.vocabulary.exclusion import Reason
from harness.vocabulary.base import BadFileError
from tests.committee.review.answers import FILES, PROPOSAL, review
from tests.committee.review.sitting import called

NONCE = "feedface0042"
PROMPT = f"You review.\nnonce: {NONCE}\nproposal: {PROPOSAL}\n\n---\nnonce: 000000000000\n"


def recording() -> dict[str, Any]:
    answer = {key: value for key, value in review().items() if key != "nonce"}
    return {"label": "recorded", "model": "some-model", "answer": answer}


def written(folder: Path, name: str = "first.json", value: object = None) -> Path:
    path = folder / name
    path.write_text(json.dumps(recording() if value is None else value))
    return path


def order(path: Path) -> Order:
    return Order(Reviewer(name="rec", kind="recorded", recording=str(path), timeout_s=10), PROMPT, {}, ())


async def test_a_recording_is_a_review_like_any_other(tmp_path: Path) -> None:
    received = await called(order(written(tmp_path)), Edge({}))
    outcome = judge(received, Expected(NONCE, PROPOSAL, FILES))
    assert isinstance(outcome, Accepted), outcome
    assert facts(received.raw).served_model == "recorded/first"


async def test_a_missing_recording_could_not_start(tmp_path: Path) -> None:
    received = await called(order(tmp_path / "gone.json"), Edge({}))
    assert received.failure is Reason.COULD_NOT_START


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{", "is not JSON"),
        ("[]", "is not a JSON object"),
        (json.dumps(recording() | {"label": "live"}), "'recorded'"),
        (json.dumps({"label": "recorded", "model": "m"}), "missing key"),
    ],
)
def test_unusable_recordings(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text)
    with pytest.raises(BadFileError, match=sentence):
        read_recording(path)


async def test_the_server_labels_itself_and_refuses_the_rest() -> None:
    recordings = {"a": Recording.model_validate(recording())}
    async with serving_recordings(recordings) as base_url, httpx.AsyncClient(trust_env=False) as client:
        listed = await client.get(f"{base_url}/models")
        assert [model["id"] for model in listed.json()["data"]] == ["recorded/a"]
        assert listed.headers["x-committee-recorded"] == "true"
        asked = {"model": "recorded/a", "messages": [{"role": "user", "content": PROMPT}]}
        answer = await client.post(f"{base_url}/chat/completions", json=asked)
        assert answer.json()["model"] == "recorded/a"
        assert answer.headers["x-committee-recorded"] == "true"
        assert json.loads(answer.json()["choices"][0]["message"]["content"])["nonce"] == NONCE
        for body, status in (
            (asked | {"model": "recorded/b"}, 404),
            (asked | {"messages": [{"role": "user", "content": "no nonce here"}]}, 400),
        ):
            assert (await client.post(f"{base_url}/chat/completions", json=body)).status_code == status
        assert (await client.get(f"{base_url}/else")).status_code == 404


async def test_a_folder_is_served_by_a_command_until_it_is_stopped(tmp_path: Path) -> None:
    written(tmp_path, "one.json")
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "committee.review.recorded", str(tmp_path), stderr=asyncio.subprocess.PIPE
    )
    assert process.stderr is not None
    try:
        async with asyncio.timeout(20):
            line = (await process.stderr.readline()).decode()
            address = line.rpartition("listening on ")[2].strip()
            async with httpx.AsyncClient(trust_env=False) as client:
                assert (await client.get(f"{address}/v1/models")).json()["data"][0]["id"] == "recorded/one"
            process.terminate()
            assert await process.wait() == 0
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def test_the_commands_exits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert main([str(tmp_path / "gone")]) == 2
    written(tmp_path, "bad.json", [])
    assert main([str(tmp_path)]) == 1
    assert "is not a JSON object; correct it there" in capsys.readouterr().err
