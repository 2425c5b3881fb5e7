"""The simulator as a process: its log in each style, its workers, its end, and the faults that need real processes."""

import os
import re
import signal
from pathlib import Path

import httpx
import pytest

from harness.adapters.llamacpp import effective as llamacpp_effective
from harness.adapters.vllm import effective as vllm_effective
from harness.procview import listening_inodes, socket_inodes
from tests.harness.simulator.starting import left, lives, started

FORK = ("--style", "v100-fork")
SETTINGS = ("--max-model-len", "65536", "--tensor-parallel-size", "2", "--served-model-name", "launch-1")


async def asked(url: str, path: str) -> httpx.Response:
    async with httpx.AsyncClient(trust_env=False, timeout=20) as client:
        return await client.get(url + path)


async def completed(url: str, tokens: int = 8, prompt: str = "The old harbour") -> httpx.Response:
    body = {"prompt": prompt, "max_tokens": tokens, "ignore_eos": True}
    async with httpx.AsyncClient(trust_env=False, timeout=20) as client:
        return await client.post(url + "/v1/completions", json=body)


async def test_the_forks_log_says_k_of_k_and_its_settings(tmp_path: Path) -> None:
    async with started(tmp_path, *FORK, *SETTINGS) as simulated:
        log = simulated.log
        assert len(re.findall(r"IQ4XS_BMMVQ_READY rank=\d", log)) == 2 == len(simulated.workers())
        assert "IQ4XS_TILE_MMQ attached on 2 workers (2/2)" in log
        found = vllm_effective(log)
        assert (found["max-model-len"], found["tensor-parallel-size"]) == ("65536", "2")
        assert int(found["kv-cache-tokens"]) > 2_700_000
        models = (await asked(simulated.url, "/v1/models")).json()
        assert models["data"][0]["id"] == "launch-1"
        pids = [simulated.process.pid, *simulated.workers()]
        assert all(lives(pid) for pid in pids)
        simulated.process.send_signal(signal.SIGTERM)
        assert await simulated.ended() == 0
        await left(pids)


async def test_llamacpps_log_and_props_say_its_settings(tmp_path: Path) -> None:
    words = ("--style", "llamacpp", "--workers", "1", "--n-parallel", "4", "--cache-type-k", "q8_0", "--alias", "a")
    async with started(tmp_path, *words, ready="listening on") as simulated:
        props = (await asked(simulated.url, "/props")).json()
        found = llamacpp_effective(simulated.log, props)
        assert (found["n-parallel"], found["cache-type-k"], found["flash-attn"]) == ("4", "q8_0", "on")
        assert (await completed(simulated.url, 8)).json()["usage"]["completion_tokens"] == 8
        metrics = (await asked(simulated.url, "/metrics")).text
        assert "llamacpp:tokens_predicted_total 8\n" in metrics and "llamacpp:prompt_tokens_total 3\n" in metrics


async def test_plain_vllm_has_no_markers_and_no_props(tmp_path: Path) -> None:
    async with started(tmp_path) as simulated:
        assert "_READY" not in simulated.log and len(simulated.workers()) == 4
        assert (await asked(simulated.url, "/props")).status_code == 404
        assert (await asked(simulated.url, "/health")).status_code == 200


async def test_workers_end_with_a_killed_parent(tmp_path: Path) -> None:
    async with started(tmp_path, *FORK) as simulated:
        workers = simulated.workers()
        simulated.process.kill()
        await simulated.ended()
        await left(workers)


async def test_orphan_workers_do_not(tmp_path: Path) -> None:
    async with started(tmp_path, *FORK, "--fault", "orphan-workers") as simulated:
        workers = simulated.workers()
        simulated.process.send_signal(signal.SIGTERM)
        assert await simulated.ended() == 0
        assert len(workers) == 4 and all(lives(pid) for pid in workers)


async def test_a_worker_killed_ends_the_server_in_the_engines_words(tmp_path: Path) -> None:
    async with started(tmp_path, *FORK) as simulated:
        os.kill(simulated.workers()[2], signal.SIGKILL)
        assert await simulated.ended() == 1
        assert "Worker proc VllmWorker-2 died unexpectedly" in simulated.log and "EngineDeadError" in simulated.log


@pytest.mark.parametrize(
    ("fault", "lines", "of_workers"),
    [("marker-missing-on-one", 3, 3), ("unarmed", 0, 0), ("marker-twice", 4, 3), ("marker-in-wrong-log", 0, 0)],
)
async def test_markers_that_do_not_hold(tmp_path: Path, fault: str, lines: int, of_workers: int) -> None:
    wrong = tmp_path / "other.log"
    async with started(tmp_path, *FORK, "--fault", fault, "--wrong-log", str(wrong)) as simulated:
        ranks = re.findall(r"IQ4XS_BMMVQ_READY rank=(\d)", simulated.log)
        assert len(ranks) == lines and len(set(ranks)) == of_workers
    assert wrong.exists() == (fault == "marker-in-wrong-log")
    assert not wrong.exists() or wrong.read_text().count("IQ4XS_BMMVQ_READY") == 4


async def test_a_start_that_fails_ends_with_status_1_after_the_engines_words(tmp_path: Path) -> None:
    async with started(tmp_path, *FORK, "--fault", "low-free-memory") as simulated:
        assert await simulated.ended() == 1
        assert "Free memory on device cuda:3 (17.32/31.73 GiB) on startup is less than desired" in simulated.log
        assert "startup complete" not in simulated.log


async def test_a_command_line_that_cannot_be_used_is_refused_with_status_2(tmp_path: Path) -> None:
    async with started(tmp_path, "--no-such-flag", "1") as simulated:
        assert await simulated.ended() == 2 and "unrecognized arguments: --no-such-flag" in simulated.log


async def test_a_stale_server_listens_on_the_same_port_from_outside_the_tree(tmp_path: Path) -> None:
    async with started(tmp_path, *FORK, "--fault", "stale-server-on-port") as simulated:
        port = int(simulated.url.rpartition(":")[2])
        own = socket_inodes([simulated.process.pid, *simulated.workers()])
        listening = listening_inodes(port)
        assert len(listening) == 2 and len(listening - own) == 1


async def test_the_ready_line_of_another_process_names_its_port(tmp_path: Path) -> None:
    async with started(tmp_path, *FORK, "--fault", "foreign-ready-line") as simulated:
        port = int(simulated.url.rpartition(":")[2])
        own = socket_inodes([simulated.process.pid, *simulated.workers()])
        assert listening_inodes(port) and not listening_inodes(port) & own
        assert (await asked(simulated.url, "/health")).status_code == 200


async def test_health_answers_before_ready(tmp_path: Path) -> None:
    words = ("--fault", "health-before-ready", "--start-s", "1000", "--port", "0")
    async with started(tmp_path, *words, ready="Worker_TP3") as simulated:
        inodes: frozenset[int] = frozenset()
        while not inodes:
            inodes = socket_inodes([simulated.process.pid])
        assert "startup complete" not in simulated.log


async def test_a_faults_turn_comes_with_its_start(tmp_path: Path) -> None:
    words = (*FORK, "--launches-file", str(tmp_path / "starts"), "--fault", "unarmed", "--fault-on", "2")
    counts: list[int] = []
    for _ in range(3):
        async with started(tmp_path, *words) as simulated:
            counts.append(simulated.log.count("IQ4XS_BMMVQ_READY"))
    assert counts == [4, 0, 4]


async def test_an_arm_in_the_environment_prints_its_marker_or_is_ignored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("V100_TILE", "128")
    monkeypatch.setenv("VLLM_FLASH_V100_DECODE_PARTITION_SIZE", "1024")
    async with started(tmp_path, *FORK) as simulated:
        assert simulated.log.count("TILE128_READY") == 4 and "partition_size=1024" in simulated.log
    async with started(tmp_path, *FORK, "--fault", "env-ignored") as simulated:
        assert "TILE128_READY" not in simulated.log and "partition_size=2048" in simulated.log


async def test_objects_are_mapped_by_every_worker_or_by_all_but_one(tmp_path: Path) -> None:
    built = tmp_path / "kernel.so"
    built.write_bytes(b"\x7fELF" + bytes(5000))
    for fault, holders in (((), 4), (("--fault", "old-object-on-one"), 3)):
        async with started(tmp_path, *FORK, "--object", str(built), *fault) as simulated:
            maps = [Path(f"/proc/{pid}/maps").read_text() for pid in simulated.workers()]
            assert sum(str(built) in text for text in maps) == holders


async def test_erased_environments_cannot_be_read(tmp_path: Path) -> None:
    async with started(tmp_path, *FORK, "--fault", "erased-environment") as simulated:
        for pid in simulated.workers():
            assert b"=" not in Path(f"/proc/{pid}/environ").read_bytes()


async def test_the_list_of_faults_is_printed(tmp_path: Path) -> None:
    async with started(tmp_path, "--list-faults") as simulated:
        assert await simulated.ended() == 0 and "marker-missing-on-one" in simulated.log
