"""Starting a guardian on this machine, in a scope of its own where systemd runs, so that no logout ends it.

Standard library only: it is copied to another host. It starts a guardian and nothing else.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

SPAWN_TIMEOUT_S = 20.0  # a guardian starts in a tenth of a second; a loaded machine gets time
SYSTEMD = Path("/run/systemd/system")  # there where systemd is what runs the machine (sd_booted(3))
PACKAGE_ROOT = Path(__file__).resolve().parents[2]


def made(state_dir: Path) -> Path:
    """The directory, absolute, readable by its owner only."""
    state_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    return state_dir.resolve()


def guardian_argv(state_dir: Path) -> tuple[str, ...]:
    """The guardian of a state directory, started beside this package, without variables and site packages."""
    return (sys.executable, "-E", "-s", "-S", "-m", "harness.guardian", "serve", str(state_dir))


def scope_argv(state_dir: Path, systemd: Path = SYSTEMD) -> tuple[str, ...] | None:
    """What goes before it so that it has a systemd scope of its own; none where systemd does not run the machine.

    A session's processes may be ended with the session (logind's KillUserProcesses); a scope's are not.
    """
    command = shutil.which("systemd-run", path="/usr/bin:/bin")
    if command is None or not systemd.is_dir():
        return None
    whose = () if os.getuid() == 0 else ("--user",)
    described = f"--description=Guardian of {state_dir.name} (committee)"
    return (command, *whose, "--scope", "--quiet", "--collect", described, "--")


def spawn_guardian(state_dir: Path, systemd: Path = SYSTEMD) -> str:
    """Start a guardian, which leaves this session at once; what it complained about, if it did."""
    argv = guardian_argv(state_dir)
    scope = scope_argv(state_dir, systemd)
    if scope is not None and _started((*scope, *argv)) == "":
        return ""
    return _started(argv)  # also where a scope was refused, or the guardian itself complained: now it says why


def _started(argv: tuple[str, ...]) -> str:
    try:
        done = subprocess.run(
            argv,
            cwd=PACKAGE_ROOT,
            env={"LANG": "C.UTF-8"} | _user_bus(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
            timeout=SPAWN_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"it did not start in {SPAWN_TIMEOUT_S:g} s"
    except OSError as error:
        return f"{argv[0]!r} cannot be started ({error.strerror})"
    said = done.stderr.decode(errors="replace").strip()
    return said if done.returncode == 0 else said or f"{argv[0]!r} ended with {done.returncode}"


def _user_bus() -> dict[str, str]:
    """Where systemd-run finds a user's own manager; nothing where there is none."""
    runtime = Path(f"/run/user/{os.getuid()}")
    return {"XDG_RUNTIME_DIR": str(runtime)} if runtime.is_dir() else {}
