"""Running a pack here: the pack's own runner in a process of its own, shut in, its report over a private pipe."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from harness.kernels.bench.plan import PlannedArm
from harness.kernels.bench.reasons import Reason
from harness.kernels.bench.results import TRYING, ArmResult, Report, report_from
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


@dataclass(frozen=True)
class _Lost:
    """A runner that ended without a report."""

    arm: str  # that was being tried, "" if none
    sentence: str


def run_pack(packed: Packed, asked: Asked) -> Report:
    """Run to the end; an arm that ends the runner itself is left out and the others are run again.

    Raises BadFileError when the runner ends without a report and no arm but the baseline can be behind it.
    """
    enders: list[str] = []
    while True:
        found = _once(packed, asked, enders)
        if isinstance(found, Report):
            results = [_ender(packed.plan.arm(name)) for name in enders]
            return replace(found, arms=[*found.arms, *results])
        if not found.arm or found.arm in enders or found.arm == packed.plan.baseline:
            raise BadFileError(found.sentence)
        enders.append(found.arm)


def _ender(arm: PlannedArm) -> ArmResult:
    said = "it ended the runner, so the others were run again without it"
    return ArmResult(arm.name, arm.family, arm.expected, Reason.CRASHED.value, said, "", None)


def _once(packed: Packed, asked: Asked, skipped: Sequence[str]) -> Report | _Lost:
    lock = Path(tempfile.gettempdir()) / LOCK.format(user=os.getuid())
    lock.touch(mode=0o600)
    read, write = os.pipe()
    runner = (sys.executable, str(packed.path / "runner.py"), str(packed.path), f"fd:{write}", "--lock", str(lock))
    seen = Shut((packed.path, *interpreter()), (lock,), card=packed.plan.language == "cuda")
    with tempfile.TemporaryFile() as words:
        process = subprocess.Popen(
            shut_in(packed.way, (*runner, *_words(asked, skipped)), seen),
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
        said = words.read().decode("utf-8", "replace")
    try:
        return report_from(text)
    except ValueError as error:
        tried = [line.removeprefix(TRYING) for line in said.splitlines() if line.startswith(TRYING)]
        last = " ".join(said[-SHOWN:].split())
        sentence = f"the runner ended with status {code} and no report ({error}); it said last: {last}"
        return _Lost(tried[-1] if tried else "", sentence)


def _words(asked: Asked, skipped: Sequence[str]) -> tuple[str, ...]:
    words = [word for arm in asked.arms for word in ("--arm", arm)]
    words += [word for arm in skipped for word in ("--skip", arm)]
    words += ["--wrong"] * asked.wrong + ["--time"] * asked.time
    return (*words, *(("--seed", str(asked.seed)) if asked.seed is not None else ()))


def _all_of(fd: int) -> str:
    pieces, size = [], 0
    while (piece := os.read(fd, PIECE)) and size < MOST_REPORT:
        pieces.append(piece)
        size += len(piece)
    return b"".join(pieces).decode("utf-8", "replace")
