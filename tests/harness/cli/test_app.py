"""The command itself: its list says what the commands say, loading is lazy, and Ctrl-C meanwhile is no traceback."""

import signal
import subprocess
import sys
import threading

import pytest
import typer

from committee.cli.app import app as front_office
from harness import __version__
from harness.cli.app import COMMANDS, Bench, app
from harness.cli.interrupt import silently_interruptible

HEAVY = ("sqlmodel", "scipy", "numpy", "pydantic", "httpx", "harness.workflow", "ledger")


@pytest.mark.parametrize("name", COMMANDS)
def test_a_line_of_the_list_is_the_commands_own_first_line(name: str) -> None:
    command = Bench(name="harness").load(name)
    assert command.name == name
    assert (command.help or "").split("\n")[0] == COMMANDS[name].line


def test_the_list_loads_no_library() -> None:
    code = "import sys; sys.argv = ['harness', '--help']\nfrom harness.cli import main\ntry:\n    main()\nfinally:\n"
    code += (
        f"    print([name for name in {HEAVY!r} if any(m == name or m.startswith(name + '.') for m in sys.modules)])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert "Bring production back" in done.stdout and done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("program", [app, front_office])
def test_the_usual_option_prints_the_version(program: typer.Typer, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["--version"], ["--version", "status"]):
        with pytest.raises(SystemExit) as ended:
            program(words, prog_name="any")
        assert ended.value.code == 0 and capsys.readouterr().out == f"{__version__}\n"


def test_an_unknown_command_is_told_with_its_neighbours(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        app(["stauts"], prog_name="harness")
    assert ended.value.code == 2 and "'status'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"), [([], ""), (["--json"], '{"error": "interrupted before it had an answer"}\n')]
)
def test_ctrl_c_while_libraries_load_ends_without_a_traceback(words: list[str], said: str) -> None:
    code = """
import signal
from harness.cli.interrupt import silently_interruptible
with silently_interruptible():
    signal.raise_signal(signal.SIGINT)
"""
    command = [sys.executable, "-c", code, *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, said, "")


def test_afterwards_ctrl_c_is_what_it_was_and_threads_change_nothing() -> None:
    before = signal.getsignal(signal.SIGINT)
    with silently_interruptible():
        assert signal.getsignal(signal.SIGINT) == signal.SIG_DFL
    assert signal.getsignal(signal.SIGINT) == before
    seen: list[object] = []

    def elsewhere() -> None:
        with silently_interruptible():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join(30)
    assert seen == [before]
