"""Arms answer on another port than production, also where the kernel would give production's out while it is away."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from harness.adapters import ADAPTERS
from harness.hosts.looking import free_port
from harness.hosts.onlooker import Onlooker
from harness.procview import free_port as a_free_port
from harness.vocabulary.target import Target
from harness.workflow.arm_port import arm_port
from harness.workflow.conclude import Conclusion
from harness.workflow.events import MeasureEvent
from harness.workflow.measure import Measurement
from ledger.entries import Launch
from tests.harness.workflow.bench_yard import TARGET, BenchYard


class Giving(Onlooker):
    """A host that gives out these ports, one after the other."""

    def __init__(self, folder: Path, *ports: int) -> None:
        super().__init__(folder)
        self.ports = list(ports)

    async def look(self, question: Mapping[str, Any]) -> Any:
        """A port."""
        return self.ports.pop(0)


def fixed(port: int, adapter: str = "llamacpp") -> Target:
    """The small target with a port of its own."""
    return Target.from_mapping(TARGET | {"adapter": adapter, "endpoint": {"port": port, "api": "completions"}}, "t")


@pytest.mark.parametrize("adapter", ["llamacpp", "vllm", "command"])
async def test_production_s_port_is_passed_over(tmp_path: Path, adapter: str) -> None:
    host = Giving(tmp_path, 8600, 8600, 8601, 8602)
    assert await free_port(Giving(tmp_path, 5), "127.0.0.1") == 5
    assert await arm_port(host, ADAPTERS[adapter], fixed(8600, adapter)) == 8601


async def test_a_host_that_has_no_other_port_is_a_fault(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="no free port but production's, 8600"):
        await arm_port(Giving(tmp_path, *[8600] * 20), ADAPTERS["vllm"], fixed(8600, "vllm"))


async def test_a_server_that_may_choose_chooses_where_production_does(tmp_path: Path) -> None:
    assert await arm_port(Giving(tmp_path), ADAPTERS["llamacpp"], fixed(0)) == 0


async def test_every_launch_of_a_run_has_another_port_than_production(tmp_path: Path) -> None:
    yard, events, port = BenchYard(tmp_path), list[MeasureEvent](), a_free_port("127.0.0.1")
    order = yard.order().model_copy(update={"target": fixed(port)})
    with yard.ledger() as ledger:
        outcome = await Measurement(order, tmp_path, ledger, events.append).run()
        assert isinstance(outcome, Conclusion), outcome
        given = [int(launch.argv[launch.argv.index("--port") + 1]) for _, launch in ledger.of(Launch)]
    assert len(given) == 6 and port not in given and 0 not in given
