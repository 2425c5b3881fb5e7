"""What the simulated server reports about itself: counters, stamps, tokenizer, refusals; and that time is kept."""

import asyncio
import ssl
import subprocess
import time
from pathlib import Path

import httpx
import pytest

from harness.adapters.exposition import exposition
from harness.simulator.embedded import serving
from harness.simulator.words import count
from tests.harness.simulator.starting import started
from tests.harness.simulator.test_answering import CHAT, FAST, TOKENS, stream, whole

LONG = " ".join(f"word{number}" for number in range(100))


async def metrics_of(url: str) -> dict[str, float]:
    async with httpx.AsyncClient(trust_env=False) as client:
        return exposition((await client.get(url + "/metrics")).text).values


async def test_counters_count_what_was_asked_and_nothing_else() -> None:
    async with serving(FAST) as url:
        before = await metrics_of(url)
        await asyncio.gather(*(stream(url, CHAT) for _ in range(3)))
        after = await metrics_of(url)
    gained = {name: after[name] - before[name] for name in after}
    assert gained["vllm:generation_tokens_total"] == 3 * TOKENS
    assert gained["vllm:prompt_tokens_total"] == 3 * (count(str(CHAT["messages"][0]["content"])) + 8)
    assert gained["vllm:request_success_total"] == 3 and after["vllm:num_requests_running"] == 0


async def test_strangers_are_counted() -> None:
    for fault, asks in (("stranger", 5), ("stranger-before", 0)):
        async with serving((*FAST, "--fault", fault)) as url:
            for _ in range(asks):
                await whole(url, CHAT)
            deadline = time.monotonic() + 10
            while (await metrics_of(url))["vllm:generation_tokens_total"] <= asks * TOKENS:
                assert time.monotonic() < deadline
                await asyncio.sleep(0.01)


async def test_the_prefix_cache_and_its_counters() -> None:
    body = {"prompt": LONG, "max_tokens": 2, "ignore_eos": True}
    async with serving((*FAST, "--prefix-cache")) as url:
        cached = [
            (await whole(url, body, "/v1/completions"))["usage"]["prompt_tokens_details"]["cached_tokens"]
            for _ in range(2)
        ]
        asked_cold = await whole(url, body | {"cache_prompt": False}, "/v1/completions")
        found = await metrics_of(url)
    assert cached == [0, 96] and asked_cold["usage"]["prompt_tokens_details"]["cached_tokens"] == 0
    assert (found["vllm:prefix_cache_queries_total"], found["vllm:prefix_cache_hits_total"]) == (300, 96)
    async with serving((*FAST, "--fault", "warm-cache")) as url:
        warm = await whole(url, body, "/v1/completions")
    assert warm["usage"]["prompt_tokens_details"]["cached_tokens"] == 75


async def test_counters_that_are_missing_nan_or_reset() -> None:
    async with serving((*FAST, "--fault", "no-metrics")) as url:
        assert await metrics_of(url) == {}
    async with serving((*FAST, "--fault", "nan-metrics")) as url, httpx.AsyncClient(trust_env=False) as client:
        assert (await client.get(url + "/metrics")).text.count(" NaN\n") > 10
    async with serving((*FAST, "--fault", "counters-reset")) as url:
        for _ in range(6):
            await whole(url, CHAT)
        assert (await metrics_of(url))["vllm:generation_tokens_total"] == TOKENS


async def test_drafts_are_counted() -> None:
    async with serving((*FAST, "--draft-tokens", "1", "--acceptance", "0.52")) as url:
        await whole(url, CHAT | {"max_tokens": 2000})
        found = await metrics_of(url)
    drafted, accepted = (found[f"vllm:spec_decode_num_{kind}_tokens_total"] for kind in ("draft", "accepted"))
    assert accepted / drafted == pytest.approx(0.52, abs=0.05)
    assert found["vllm:spec_decode_num_drafts_total"] + accepted == pytest.approx(1999, abs=1)  # a step gives 1 + those


async def test_the_tokenizer_counts_as_usage_does() -> None:
    async with serving(FAST) as url, httpx.AsyncClient(trust_env=False) as client:
        said = (await client.post(url + "/tokenize", json={"prompt": LONG})).json()
        talk = (await client.post(url + "/tokenize", json=CHAT)).json()
        used = (await whole(url, CHAT))["usage"]["prompt_tokens"]
    assert said["count"] == 100 == len(said["tokens"]) and talk["count"] == used


async def test_what_cannot_be_served_is_refused() -> None:
    async with serving((*FAST, "--max-model-len", "64")) as url, httpx.AsyncClient(trust_env=False) as client:
        long = await whole(url, {"prompt": LONG}, "/v1/completions")
        assert long["status"] == 400 and "maximum context length is 64 tokens" in long["error"]["message"]
        for body, said in (({"prompt": 5}, "prompt must be"), ({"prompt": "a", "max_tokens": 0}, "max_tokens must be")):
            bad = await whole(url, body, "/v1/completions")
            assert bad["status"] == 400 and said in bad["error"]["message"]
        assert (await whole(url, {"messages": []}))["status"] == 400
        assert (await client.post(url + "/v1/completions", content=b"no json")).status_code == 400
        assert (await client.get(url + "/nothing")).status_code == 404


async def test_a_client_that_leaves_is_forgotten() -> None:
    async with serving(("--time-scale", "1")) as url:
        with pytest.raises(httpx.ReadTimeout):
            async with httpx.AsyncClient(trust_env=False, timeout=0.3) as client:
                await client.post(url + "/v1/completions", json={"prompt": LONG, "max_tokens": 500})
        deadline = time.monotonic() + 10
        while (await metrics_of(url))["vllm:request_success_total"] == 0:
            assert time.monotonic() < deadline
            await asyncio.sleep(0.02)
        assert (await metrics_of(url))["vllm:num_requests_running"] == 0


async def test_a_prefill_over_the_execution_timeout_ends_the_engine(tmp_path: Path) -> None:
    words = ("--style", "v100-fork", "--time-scale", "0.001", "--max-num-batched-tokens", "65536")
    prompt = "word " * 131_000
    async with started(tmp_path, *words) as simulated, httpx.AsyncClient(trust_env=False, timeout=30) as client:
        with pytest.raises(httpx.HTTPError):
            await client.post(simulated.url + "/v1/completions", json={"prompt": prompt, "max_tokens": 2})
        assert await simulated.ended() == 1
        assert "RPC call to execute_model timed out" in simulated.log and "EngineDeadError" in simulated.log


async def test_the_servers_own_stamps_are_on_the_clients_clock(tmp_path: Path) -> None:
    async with started(tmp_path, "--time-scale", "0.1") as simulated:
        before = time.perf_counter()
        await stream(simulated.url, CHAT)
        after = time.perf_counter()
        async with httpx.AsyncClient(trust_env=False) as client:
            (stamps,) = (await client.get(simulated.url + "/simulator/truth")).json()["requests"]
    assert before < stamps["received"] < stamps["first_write"] < stamps["last_write"] < after
    assert stamps["tokens"] == TOKENS == stamps["events"]
    assert stamps["first_write"] - stamps["received"] >= 0.053
    assert stamps["last_write"] - stamps["first_write"] >= 0.9 * (TOKENS - 1) * 0.1 / 68.1


async def test_memory_and_descriptors_grow_where_told(tmp_path: Path) -> None:
    words = ("--leak-kib", "8192", "--leak-descriptors", "2", "--tensor-parallel-size", "2", "--time-scale", "0.001")
    async with started(tmp_path, *words) as simulated:
        steady, growing = simulated.workers()
        parent = Path(f"/proc/{simulated.process.pid}/fd")
        before, descriptors = [resident_mib(pid) for pid in (steady, growing)], len(list(parent.iterdir()))
        for _ in range(8):
            await whole(simulated.url, CHAT)
        deadline = time.monotonic() + 10
        while resident_mib(growing) < before[1] + 60:
            assert time.monotonic() < deadline
            await asyncio.sleep(0.01)
        assert resident_mib(steady) < before[0] + 16
        assert len(list(parent.iterdir())) >= descriptors + 16


def resident_mib(pid: int) -> float:
    line = next(line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


async def test_the_api_is_served_over_tls(tmp_path: Path) -> None:
    pem = tmp_path / "both.pem"
    request = ("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost")
    made = ("-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(pem), "-out", str(tmp_path / "cert.pem"))
    subprocess.run(["openssl", *request, *made], check=True, capture_output=True, timeout=30)
    pem.write_text(pem.read_text() + (tmp_path / "cert.pem").read_text())
    context = ssl.create_default_context(cafile=str(tmp_path / "cert.pem"))
    async with serving((*FAST, "--tls-cert", str(pem))) as url, httpx.AsyncClient(verify=context) as client:
        assert url.startswith("https://")
        answer = await client.post(url + "/v1/completions", json={"prompt": "a", "max_tokens": 3, "ignore_eos": True})
        assert answer.json()["usage"]["completion_tokens"] == 3
