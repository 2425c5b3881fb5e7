"""What ran when the accepted baseline was last measured, and how production differs from it now; on a real process."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

from harness.hosts.looking import LoadedObject
from harness.workflow.accepted_run import RecordedBaseline, accepted_launches, recorded_baseline
from harness.workflow.attest import Attestation, attest
from ledger.entries import Gate
from tests.harness.workflow.bench_yard import BenchYard
from tests.harness.workflow.test_stricter import recorded

SEEN = {
    "engine": {"effective": {"threads": "2"}, "parsed": {}, "served_models": []},
    "host": {"objects": [{"path": "/a.so", "sha256": "1" * 64}, {"path": "/b.so", "sha256": None}]},
}


def test_what_the_armed_gate_kept_is_read_back(tmp_path: Path) -> None:
    with BenchYard(tmp_path).ledger() as ledger:
        recorded(ledger, "measure-old-000001")
        assert recorded_baseline(ledger, "small") is None, "that run kept nothing"
        (launch,) = accepted_launches(ledger, "small")
        blob = ledger.put_blob(json.dumps(SEEN).encode(), "application/json")
        kept = Gate(
            launch=launch.launch, run=launch.run, gate="armed", passed=True, reason=None, evidence="", seen=blob
        )
        ledger.append(kept)
        then = RecordedBaseline("measure-old-000001", {"threads": "2"}, {"/a.so": "1" * 64})
        assert recorded_baseline(ledger, "small") == then
        assert recorded_baseline(ledger, "another") is None


async def test_attest_says_k_of_k_processes_and_what_differs_from_the_record(tmp_path: Path) -> None:
    yard = BenchYard(tmp_path)
    async with yard.production() as host, asyncio.timeout(60):
        target = yard.order().target
        seen = await attest(target, yard.place)
        held = (await host.production()).held
        assert seen.as_described and held is not None and seen.kv_tokens is None and seen.compared_with is None
        assert [(count.count, count.needed) for count in seen.markers] == [(1, 1)]
        assert [process.pid for process in seen.running.processes] == [held.pid]
        assert "PATH" in dict(seen.running.processes[0].env or ()), "by name; values by allow-list only"
        one = next(one for one in seen.running.objects if one.sha256)
        same = RecordedBaseline("measure-old-000001", {}, {one.path: one.sha256 or ""})
        assert (await attest(target, yard.place, same)).as_described
        drifted = await attest(target, yard.place, replace(same, objects={one.path: "0" * 64}))
        assert not drifted.as_described and drifted.compared_with == same.run
        assert drifted.drift == (f"{one.path!r} has another content than in run measure-old-000001",)
        json.dumps(drifted.as_json())


def test_an_attestation_is_plain_values() -> None:
    seen = Attestation("t", True, "up")
    assert seen.as_json()["running"] == {"processes": (), "objects": (), "other_logs": (), "cards": ()}
    assert LoadedObject("/a.so", 1, None, (1,)).sha256 is None
