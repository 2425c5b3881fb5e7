"""An agent that is shut in sees the revision, an empty home and the system; the rest of the machine is not there."""

import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from committee.review.command_call import call_command
from committee.review.confine import confined
from committee.review.order import Edge, Order
from committee.review.received import Received
from committee.vocabulary.config import Reviewer
from committee.vocabulary.exclusion import Reason
from harness.vocabulary.base import BadFileError

LOOK = """
import json, os, pathlib, sys
def seen(path):
    try:
        return sorted(os.listdir(path))
    except OSError as error:
        return type(error).__name__
def kept(path):
    try:
        pathlib.Path(path).write_text("x")
        return True
    except OSError:
        return False
print(json.dumps({
    "files": sorted(str(p) for p in pathlib.Path(".").rglob("*") if p.is_file()),
    "home": seen(os.environ["HOME"]), "outside": seen(sys.argv[1]),
    "processes": [n for n in seen("/proc") if n.isdigit()],
    "own": kept("note"), "system": kept("/usr/note"), "prompt": sys.stdin.read(),
}))
"""


async def agent(secret: Path, readable: tuple[str, ...], **changes: object) -> Received:
    """A Python agent that looks around; `secret` is a folder outside of what it was given."""
    settings = {"name": "agent", "kind": "command", "argv": (sys.executable, "-c", LOOK, str(secret)), "timeout_s": 20}
    reviewer = Reviewer.model_validate(settings | {"readable": readable} | changes)
    order = Order(reviewer, "the prompt", {}, (("PROPOSAL.md", b"# words\n"),))
    return await call_command(order, Edge({"PATH": "/usr/bin:/bin"}, bwrap=shutil.which("bwrap")))


def interpreter() -> tuple[str, ...]:
    """The folders of this Python, which need not be the system's."""
    return tuple(sorted({sys.prefix, sys.base_prefix, os.path.realpath(sys.base_prefix)}))


@pytest.mark.system
async def test_it_sees_its_copy_and_the_system_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "id_ed25519").write_text("a key")
    received = await agent(tmp_path, interpreter())
    assert received.failure is None, received
    seen = json.loads(received.raw)
    assert seen["files"] == ["PROPOSAL.md"] and seen["home"] == [] and seen["prompt"] == "the prompt"
    assert seen["outside"] == "FileNotFoundError"
    assert (seen["own"], seen["system"]) == (True, False)
    assert len(seen["processes"]) <= 2, "itself and what started it, none of ours"


@pytest.mark.system
async def test_it_has_no_rights_of_root_and_cannot_make_the_system_writable(tmp_path: Path) -> None:
    words = "grep CapEff /proc/self/status; mount -o remount,rw,bind /usr 2>/dev/null && echo REMOUNTED; true"
    received = await agent(tmp_path, (), argv=("/bin/sh", "-c", words))
    assert received.raw.split() == [b"CapEff:", b"0000000000000000"], received


@pytest.mark.system
async def test_what_the_file_names_can_be_read_and_not_more(tmp_path: Path) -> None:
    (tmp_path / "settings").mkdir()
    (tmp_path / "settings" / "agent.toml").write_text("x = 1")
    received = await agent(tmp_path, (*interpreter(), str(tmp_path / "settings")))
    assert json.loads(received.raw)["outside"] == ["settings"]


@pytest.mark.system
async def test_a_program_outside_of_what_it_may_read_could_not_start(tmp_path: Path) -> None:
    program = tmp_path / "agent"
    program.write_text("#!/bin/sh\necho {}\n")
    program.chmod(0o755)
    received = await agent(tmp_path, (), argv=(str(program),))
    assert (received.failure, received.sent) == (Reason.COULD_NOT_START, 0)
    assert received.detail.endswith("add its folder to `readable`")


@pytest.mark.system
async def test_a_time_out_ends_what_runs_inside(tmp_path: Path) -> None:
    words = ("/bin/sh", "-c", "setsid sleep 61 & sleep 62")
    received = await agent(tmp_path, (), argv=words, timeout_s=1)
    assert received.failure is Reason.TIMED_OUT
    running = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
    assert not any(line in (b"sleep\x0061\x00", b"sleep\x0062\x00") for line in running)


async def test_where_bubblewrap_is_not_installed_or_not_wanted_the_agent_runs_as_it_is(tmp_path: Path) -> None:
    reviewer = Reviewer(name="agent", kind="command", argv=("/bin/sh", "-c", "pwd"), timeout_s=20)
    order = Order(reviewer, "", {}, ())
    assert (await call_command(order, Edge({"PATH": "/bin"}))).raw.strip().endswith(b"/revision")
    free = Order(reviewer.model_copy(update={"confined": False}), "", {}, ())
    assert (await call_command(free, Edge({"PATH": "/bin"}, bwrap="/no/such/bwrap"))).failure is None


async def test_an_agent_that_is_not_there_says_so_itself() -> None:
    reviewer = Reviewer(name="agent", kind="command", argv=("committee-no-such-agent",), timeout_s=20)
    received = await call_command(Order(reviewer, "", {}, ()), Edge({"PATH": "/bin"}, bwrap="/no/such/bwrap"))
    assert received.detail == "'committee-no-such-agent' could not be started (No such file or directory)"


def test_the_words(tmp_path: Path) -> None:
    words = confined("/usr/bin/bwrap", ("agent", "exec"), (tmp_path / "a", tmp_path / "b"), ("/srv/agent",))
    assert words[0] == "/usr/bin/bwrap" and words[-3:] == ("--", "agent", "exec")
    assert "--unshare-pid" in words and "--ro-bind" not in words
    assert words[words.index("--chdir") + 1] == str(tmp_path / "a")
    assert not {"/home", "/root", "/etc", "/var", "/"} & set(words)


@pytest.mark.parametrize("path", ["agent", "/", "/srv/../root", ""])
def test_readable_names_folders_below_the_root(path: str) -> None:
    with pytest.raises((BadFileError, ValueError), match="must be an absolute path below the root"):
        Reviewer(name="agent", kind="command", argv=("agent",), readable=(path,))
