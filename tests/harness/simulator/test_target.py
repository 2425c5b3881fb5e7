"""The simulated target that ships: what it allows, how it is labelled, and that it starts as its file says."""

from pathlib import Path

import pytest

from harness.adapters import ADAPTERS, Place, server_spec
from harness.gates.markers import missing_markers
from harness.gates.ready import wait_ready
from harness.hosts.base import Held
from harness.hosts.local import LocalHost
from harness.vocabulary.arm import Arm
from harness.vocabulary.target import Target

TARGET = Target.from_toml(Path(__file__).resolve().parents[3] / "targets" / "simulated-tp4.toml")


def test_it_is_labelled_and_lists_what_its_arms_may_do() -> None:
    assert TARGET.title.startswith("SIMULATOR")
    tile = Arm.model_validate({"schema": 1, "name": "tile", "env": {"V100_TILE": "128"}})
    budget = Arm.model_validate({"schema": 1, "name": "budget", "flags": {"max-num-batched-tokens": 65536}})
    faulty = Arm.model_validate({"schema": 1, "name": "faulty", "flags": {"fault": "unarmed"}})
    assert TARGET.denials(tile) == TARGET.denials(budget) == () and TARGET.denials(faulty)


@pytest.mark.system
async def test_it_starts_as_its_file_describes_it(tmp_path: Path) -> None:
    host = await LocalHost.open(tmp_path / "state")
    try:
        await host.begin("run-simulated")
        server = await host.start(server_spec(ADAPTERS["vllm"], TARGET, None, Place("run-simulated", 0, tmp_path)))
        assert isinstance(server, Held)
        start = await wait_ready(host, server, TARGET.ready, "http://127.0.0.1:0")
        assert start.gate.passed and start.base_url
        log = await host.read_log(server)
        assert missing_markers(TARGET, log) == () and "GPU KV cache size: 2,719,744 tokens" in log
        await host.stop(server, 5.0)
        await host.end()
        await host.dismiss()
    finally:
        await host.close()
