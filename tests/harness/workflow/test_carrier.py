"""What is read of a host is read without private values."""

from pathlib import Path

from harness.hosts.base import Held
from harness.vocabulary.target import Target
from harness.workflow.carrier import onlooker
from tests.harness.vocabulary.test_target import MINIMAL


async def test_logs_and_processes_are_read_without_private_values(tmp_path: Path) -> None:
    baseline = {"command": ["x"], "env": {"HF_TOKEN": "hf_notarealone"}, "private": ["HF_TOKEN"]}
    target = Target.from_mapping(MINIMAL | {"baseline": baseline}, "target")
    log = tmp_path / "server.log"
    log.write_text("token hf_notarealone was refused\n")
    async with onlooker(tmp_path, target) as looking:
        assert await looking.read_log(Held("x", 1, 1, log)) == "token [private HF_TOKEN] was refused\n"
        (tmp_path / "hf_notarealone.txt").touch()
        found = await looking.look({"ask": "files", "folder": str(tmp_path)})
    assert {one["name"] for one in found} == {"server.log", "[private HF_TOKEN].txt"}
