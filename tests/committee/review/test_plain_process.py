"""The way agents are run on Windows, tried here: with this system's programs, and with Windows' names as text."""

import sys
from pathlib import Path

import pytest

from committee.review.plain_process import Ended, launched, needed_of_host, run_plainly

MOST = 100_000
SAYS_BACK = "import sys, os; sys.stdout.write(sys.stdin.read()[::-1]); sys.stderr.write(os.getcwd()); sys.exit(3)"


async def ran(folder: Path, script: str, timeout_s: float = 20.0, prompt: bytes = b"abc") -> Ended:
    argv = (sys.executable, "-c", script)
    return await run_plainly(argv, prompt, (folder, {"PATH": "/usr/bin:/bin"}), timeout_s, MOST)


async def test_the_prompt_goes_in_and_all_that_is_said_comes_back(tmp_path: Path) -> None:
    ended = await ran(tmp_path, SAYS_BACK)
    assert ended == Ended(3, b"cba", str(tmp_path.resolve()).encode())


async def test_an_agent_that_does_not_read_is_heard_all_the_same(tmp_path: Path) -> None:
    assert (await ran(tmp_path, "print('done')", prompt=b"x" * 1_000_000)).output == b"done\n"


async def test_one_that_does_not_end_is_ended(tmp_path: Path) -> None:
    with pytest.raises(TimeoutError):
        await ran(tmp_path, "import time; time.sleep(2)", timeout_s=0.5)


async def test_one_that_talks_without_end_is_ended(tmp_path: Path) -> None:
    assert len((await ran(tmp_path, "while True: print('x' * 1000)")).output) > MOST


async def test_one_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        await run_plainly(("no-such-agent",), b"", (tmp_path, {}), 5, MOST)


@pytest.mark.parametrize(
    ("argv", "program", "expected"),
    [
        (("agent", "exec"), r"C:\npm\agent.CMD", ("cmd.exe", "/d", "/c", r"C:\npm\agent.CMD", "exec")),
        (("agent", "-"), r"C:\bin\agent.bat", ("cmd.exe", "/d", "/c", r"C:\bin\agent.bat", "-")),
        (("agent", "-"), r"C:\bin\agent.exe", (r"C:\bin\agent.exe", "-")),
        (("agent", "-"), None, ("agent", "-")),
    ],
)
def test_a_script_is_started_by_the_shell_that_reads_it(
    argv: tuple[str, ...], program: str | None, expected: tuple[str, ...]
) -> None:
    assert launched(argv, program) == expected


def test_only_what_no_program_starts_without_is_taken_of_the_environment() -> None:
    kept = needed_of_host({"SYSTEMROOT": r"C:\Windows", "OPENAI_API_KEY": "of-another", "TEMP": r"C:\t"})
    assert kept == {"SYSTEMROOT": r"C:\Windows", "TEMP": r"C:\t"}
