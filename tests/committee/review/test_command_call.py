"""Command-line agents as real processes: what they see, what they may do, how each end is told apart."""

import json
import os
import select
import shlex
import signal
import sys
import time
from pathlib import Path

import pytest

from committee.review.border import judge
from committee.review.command_call import call_command
from committee.review.order import Edge, Order
from committee.review.received import Accepted, Received
from committee.vocabulary.config import Reviewer
from committee.vocabulary.exclusion import Reason
from tests.committee.review.answers import EXPECTED, review

PROMPT = "say \"it\" 'twice' $HOME `id` \\ 中文\n"
FILES = (("PROPOSAL.md", b"# words\n"), ("arms/slots.toml", b"schema = 1\n"))


async def run(program: str, timeout_s: float = 20.0, environ: dict[str, str] | None = None) -> Received:
    return await run_argv((sys.executable, "-c", program), timeout_s, environ)


async def run_argv(argv: tuple[str, ...], timeout_s: float = 20.0, environ: dict[str, str] | None = None) -> Received:
    reviewer = Reviewer(name="agent", kind="command", argv=argv, timeout_s=timeout_s)
    return await call_command(Order(reviewer, PROMPT, {}, FILES), Edge(environ or {"PATH": "/usr/bin:/bin"}))


async def test_the_prompt_arrives_byte_for_byte_on_standard_input() -> None:
    received = await run("import sys; sys.stdout.buffer.write(sys.stdin.buffer.read())")
    assert received == Received("command", PROMPT.encode(), elapsed_s=received.elapsed_s)


async def test_a_review_on_standard_output_is_accepted_and_standard_error_is_not_part_of_it() -> None:
    answer = json.dumps(review())
    received = await run(f"import sys; print('thinking...', file=sys.stderr); print({answer!r})")
    assert isinstance(judge(received, EXPECTED), Accepted)


async def test_it_sees_a_copy_of_the_revision_and_three_variables_and_a_marker() -> None:
    program = (
        "import os, json, pathlib; print(json.dumps([sorted(os.environ), os.environ['PATH'], os.getcwd(), "
        "sorted(str(p) for p in pathlib.Path('.').rglob('*') if p.is_file()), os.listdir(os.environ['HOME'])]))"
    )
    environ = {"PATH": "/usr/bin", "OPENAI_API_KEY": "k", "SSH_AUTH_SOCK": "/tmp/agent", "LANG": "en_GB.UTF-8"}
    received = await run(program, environ=environ)
    names, path, folder, files, home = json.loads(received.raw)
    assert set(names) - {"LC_CTYPE"} == {"COMMITTEE_GUARDED", "HOME", "LANG", "PATH"}  # LC_CTYPE is Python's own
    assert path == "/usr/bin"
    assert files == ["PROPOSAL.md", "arms/slots.toml"]
    assert home == []
    assert not Path(folder).exists()  # nothing is left behind


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("raise SystemExit(3)", Reason.COULD_NOT_START),
        ("import sys; sys.exit('error: thread/start failed: no session')", Reason.COULD_NOT_START),
        ("print('Thread start failed')\nraise SystemExit(1)", Reason.COULD_NOT_START),
        ("import sys; print('failed to start the session', file=sys.stderr)", Reason.COULD_NOT_START),
        ("print('{')\nraise SystemExit(2)", Reason.BAD_EXIT),
        ("import sys; sys.stdout.write('x' * 3_000_000)", Reason.TOO_LONG),
    ],
)
async def test_how_an_agent_fails(program: str, reason: Reason) -> None:
    assert (await run(program)).failure is reason


async def test_an_agent_that_is_not_there_could_not_start() -> None:
    received = await run_argv(("committee-no-such-agent", "exec"))
    assert received.failure is Reason.COULD_NOT_START
    assert received.detail == "'committee-no-such-agent' could not be started (No such file or directory)"


async def test_a_review_that_talks_about_failed_threads_is_no_failure() -> None:
    answer = json.dumps(review()).replace("four slots", "thread start failed")
    received = await run(f"print({answer!r})")
    assert received.failure is None


async def test_the_reason_an_agent_gave_is_kept_raw_and_not_quoted() -> None:
    received = await run("import sys; sys.exit('quota of me@example.org used up')")
    assert received.raw.endswith(b"quota of me@example.org used up\n")
    assert received.detail == "the agent ended with status 1 before it said anything"


@pytest.mark.parametrize("fork", ["", "pid = os.fork()\nif pid == 0: os.setpgid(0, os.getpgid(os.getppid()))\n"])
async def test_a_time_out_ends_the_whole_process_group(tmp_path: Path, fork: str) -> None:
    note = tmp_path / "pids"
    program = (
        f"import os, time\n{fork}open({str(note)!r}, 'a').write(f'{{os.getpid()}}\\n')\n"
        "print('{', flush=True)\ntime.sleep(60)"
    )
    begun = time.monotonic()
    received = await run(program, timeout_s=1.5)
    assert received.failure is Reason.TIMED_OUT
    assert time.monotonic() - begun < 10
    assert all(_ends(int(pid)) for pid in note.read_text().split())


async def test_what_an_agent_leaves_running_is_ended() -> None:
    program = f"exec {shlex.quote(sys.executable)} -c 'import time; time.sleep(60)' >/dev/null 2>&1 & echo $!"
    received = await run_argv(("/bin/sh", "-c", f"({program})"))
    assert _ends(int(received.raw))


async def test_a_child_in_a_session_of_its_own_is_ended_and_keeps_nobody_waiting() -> None:
    received = await run_argv(("/bin/sh", "-c", "setsid sleep 60 & echo $!"))
    assert received.failure is None
    assert received.elapsed_s < 10
    assert _ends(int(received.raw))


async def test_a_child_without_a_trace_keeps_nobody_waiting(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    os.mkfifo(note)
    program = f"(env -i setsid sh -c 'echo $$ > {note}; exec sleep 60') & echo said; cat {note} >&2; exit 3"
    received = await run_argv(("/bin/sh", "-c", program))
    pid = int(received.raw.rpartition(b"\n--- standard error ---\n")[2])
    try:
        assert received.raw.startswith(b"said\n")
        assert (received.failure, received.elapsed_s < 10) == (Reason.BAD_EXIT, True)
    finally:
        os.kill(pid, signal.SIGKILL)


def _ends(pid: int, within_s: float = 10.0) -> bool:
    """Whether the process is gone, or goes, in that time: a signal sent is not yet a process ended."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([handle], [], [], within_s)[0])
    finally:
        os.close(handle)


async def test_a_path_that_leads_outside_is_a_bug() -> None:
    reviewer = Reviewer(name="agent", kind="command", argv=("true",))
    with pytest.raises(ValueError, match="leads outside"):
        await call_command(Order(reviewer, "", {}, (("../x", b""),)), Edge({}))


async def test_folders_in_folders_without_end_are_removed_and_no_link_is_followed(tmp_path: Path) -> None:
    beside = tmp_path / "beside"
    beside.write_text("kept")
    beside.chmod(0o640)
    program = (
        "import os; print(os.path.dirname(os.getcwd())); os.mkdir('shut'); "
        f"os.symlink({str(beside)!r}, 'shut/link'); os.chmod('shut', 0o500)\n"
        "for _ in range(1500): os.mkdir('d'); os.chdir('d')"
    )
    received = await run(program)
    assert received.failure is None
    assert not Path(received.raw.decode().strip()).exists()
    assert (beside.read_text(), beside.stat().st_mode & 0o777) == ("kept", 0o640)
