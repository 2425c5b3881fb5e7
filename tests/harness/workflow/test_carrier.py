"""What is read of a host is read without private values, and where nobody knows which they are nothing is said."""

from pathlib import Path

from harness.hosts.base import Held
from harness.hosts.restore import RestoreOutcome
from harness.vocabulary.target import Target
from harness.workflow.carrier import onlooker, unquoted
from tests.harness.vocabulary.test_target import MINIMAL

PLACE = Path("/ws/.committee/targets/small")


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


def test_what_a_server_said_is_not_shown() -> None:
    failed = RestoreOutcome("Production was not restored: it died: token s3cret-of-hers.", None, False, quotes=True)
    assert unquoted(failed, PLACE) == RestoreOutcome(
        f"Production was not restored: 'journal.jsonl', 'guardian.log' and 'logs' of '{PLACE}' say why; "
        "it is not shown, because private values may be in it.",
        None,
        False,
    )
    held = Held("production", 7, 99, PLACE / "logs" / "one.log")
    back = RestoreOutcome("Production is back: pid 7 at http://10.0.0.7:1.", held, True, quotes=True)
    assert unquoted(back, PLACE) == RestoreOutcome("Production is up as it was recorded: pid 7.", held, True)


def test_our_own_words_are() -> None:
    stopped = RestoreOutcome("Production was stopped by a person and stays down.", None, True)
    measured = RestoreOutcome("Run 'run-7' is being measured by a live process.", None, False)
    assert (unquoted(stopped, PLACE), unquoted(measured, PLACE)) == (stopped, measured)
