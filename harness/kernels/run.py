"""Running a pack here: the pack's own runner in a process of its own, shut in, its report over a private pipe."""

import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from harness.kernels.bench.results import Report, report_from
from harness.kernels.confine import Shut, interpreter, shut_in
from harness.kernels.pack import Packed
from harness.vocabulary.base import BadFileError

LOCK = "committee-kernel-{user}.lock"
MOST_S = 4 * 3600.0  # arms and requests have their own limits; this one is for the runner itself
MOST_REPORT = 64_000_000
PIECE = 1 << 16
SHOWN = 400


@dataclass(frozen=True)
class Asked:
    """What a run is to do."""

    arms: tuple[str, ...] = ()  # all if none
    wrong: bool = False  # the known-wrong arms instead
    time: bool = False  # time what is right, in blocks
    seed: int | None = None


def run_pack(packed: Packed, asked: Asked) -> Report:
    """Run to the end. Raises BadFileError when the runner ends without a report."""
    lock = Path(tempfile.gettempdir()) / LOCK.format(user=os.getuid())
    lock.touch(mode=0o600)
    read, write = os.pipe()
    argv = (sys.executable, str(packed.path / "runner.py"), str(packed.path), f"fd:{write}", "--lock", str(lock))
    seen = Shut((packed.path, *interpreter()), (lock,), card=packed.plan.language == "cuda")
    with tempfile.TemporaryFile() as words:
        process = subprocess.Popen(
            shut_in(packed.way, (*argv, *_words(asked)), seen),
            stdin=subprocess.DEVNULL,
            stdout=words,
            stderr=words,
            pass_fds=(write,),
            start_new_session=True,
        )
        os.close(write)
        try:
            text = _all_of(read)
            code = process.wait(MOST_S)
        finally:
            os.close(read)
            if process.returncode is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        words.seek(0)
        said = " ".join(words.read()[-SHOWN:].decode("utf-8", "replace").split())
    try:
        return report_from(text)
    except ValueError as error:
        raise BadFileError(
            f"the runner ended with status {code} and no report ({error}); it said last: {said}"
        ) from None


def _words(asked: Asked) -> tuple[str, ...]:
    words = [word for arm in asked.arms for word in ("--arm", arm)]
    words += ["--wrong"] * asked.wrong + ["--time"] * asked.time
    return (*words, *(("--seed", str(asked.seed)) if asked.seed is not None else ()))


def _all_of(fd: int) -> str:
    pieces, size = [], 0
    while (piece := os.read(fd, PIECE)) and size < MOST_REPORT:
        pieces.append(piece)
        size += len(piece)
    return b"".join(pieces).decode("utf-8", "replace")
