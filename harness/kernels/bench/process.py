"""One worker as the runner holds it: started, asked with a wall-clock limit, watched for memory, always ended."""

import json
import os
import secrets
import select
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from harness.kernels.bench.reasons import Reason

STARTING_S = 60.0  # a card's context on a busy machine; an arm's own limit counts from its first call
LOOK_S = 0.01
MEMORY_SHARE = 0.9  # an arm that came this near to its limit and then ended has run out of memory
MIB = 1 << 20
READ_BYTES = 1 << 16
VERDICT_WORDS = (b"verdict", b"pass", b"valid", b"faster", b"correct", b'"ns"')
SHOWN = 160
PASSED_ON = ("PATH", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES")


@dataclass(frozen=True)
class Ended:
    """A worker that gives no answer any more, and why."""

    reason: Reason
    detail: str


class Worker:
    """A context manager around one process of one arm."""

    def __init__(self, pack: Path, arm: str, arena_fd: int, size: int, limits: "Limits") -> None:
        """Start it; its first answer is waited for by `ready`."""
        self._limits, self._last, self._peak, self._buffer = limits, 0, 0, b""
        self._printed = os.memfd_create("printed")
        ask_read, self._ask = os.pipe()
        self._answer, answer_write = os.pipe()
        argv = [sys.executable, "-m", "harness.kernels.bench.worker", str(pack), arm]
        argv += [str(ask_read), str(answer_write), str(arena_fd), str(size)]
        self._process = subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=self._printed,
            stderr=self._printed,
            pass_fds=(ask_read, answer_write, arena_fd),
            env={**child_environment(), **limits.environment},
            start_new_session=True,
        )
        os.close(ask_read)
        os.close(answer_write)
        self._space_before = 0

    def __enter__(self) -> Self:
        """Nothing more to do."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the process and everything it started."""
        self._kill()
        for fd in (self._ask, self._answer, self._printed):
            os.close(fd)

    def ready(self) -> dict[str, str] | Ended:
        """What the device says about itself, or why there is none."""
        reply = self._await(0, STARTING_S)
        if isinstance(reply, Ended):
            return reply
        self._space_before = self._space()
        return dict(reply.get("facts", {}))

    def ask(self, do: str, **what: Any) -> dict[str, Any] | Ended:
        """One request and its answer."""
        self._last = secrets.randbelow(1 << 40) + 1  # an arm that answers in our place does not know it
        line = json.dumps({"id": self._last, "do": do, **what}) + "\n"
        try:
            os.write(self._ask, line.encode())
        except BrokenPipeError:
            return self._dead()
        return self._await(self._last, self._limits.wall_s)

    def printed(self) -> bytes:
        """What the arm has printed."""
        return os.pread(self._printed, READ_BYTES, 0)

    def forged(self) -> str | None:
        """What was printed, if it reads like a verdict."""
        text = self.printed()
        if any(word in text.lower() for word in VERDICT_WORDS) and b"Traceback" not in text:
            return " ".join(text.decode("utf-8", "replace").split())[:SHOWN]
        return None

    def _await(self, number: int, limit_s: float) -> dict[str, Any] | Ended:
        until = time.monotonic() + limit_s
        while b"\n" not in self._buffer:
            self._peak = max(self._peak, self._space())
            left = until - time.monotonic()
            if left <= 0:
                self._kill()
                return self._memory() or Ended(Reason.HUNG, f"no answer within {limit_s:g} s; its process was ended")
            if not select.select([self._answer], [], [], min(left, LOOK_S))[0]:
                continue
            piece = os.read(self._answer, READ_BYTES)
            if not piece:
                return self._dead()
            self._buffer += piece
        line, _, self._buffer = self._buffer.partition(b"\n")
        return self._parsed(line, number)

    def _parsed(self, line: bytes, number: int) -> dict[str, Any] | Ended:
        try:
            reply = json.loads(line)
            told = reply["id"]
        except (ValueError, KeyError, TypeError, RecursionError):
            return Ended(Reason.FORGED_VERDICT, "what came over the runner's own pipe is not the worker's answer")
        if told == -1:
            return Ended(Reason(reply["reason"]), str(reply["detail"]))
        if told != number:
            return Ended(Reason.FORGED_VERDICT, "an answer came over the runner's own pipe that nothing was asked for")
        return dict(reply)

    def _dead(self) -> Ended:
        self._kill()
        if (full := self._memory()) is not None:
            return full
        status = self._process.returncode
        name = signal.Signals(-status).name if status < 0 else f"status {status}"
        words = self.printed().decode("utf-8", "replace").strip().splitlines()
        said = f"; it said last: {words[-1][:SHOWN]}" if words else ""
        return Ended(Reason.CRASHED, f"its process ended with {name}{said}")

    def _memory(self) -> Ended | None:
        grown = self._peak - self._space_before
        if self._space_before and grown >= MEMORY_SHARE * self._limits.memory_mib * MIB:
            return Ended(
                Reason.OUT_OF_MEMORY, f"it took {grown // MIB} MiB of the {self._limits.memory_mib} it may have"
            )
        return None

    def _space(self) -> int:
        """Bytes of address space; 0 when the process is gone."""
        try:
            pages = Path(f"/proc/{self._process.pid}/statm").read_text(encoding="ascii").split()[0]
        except (OSError, IndexError):
            return 0
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    def _kill(self) -> None:
        if self._process.returncode is None:  # not waited for yet, so its number is still its own
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()


def child_environment() -> dict[str, str]:
    """For a process of this package: where its modules and the driver are, and nothing else of ours."""
    root = str(Path(__file__).resolve().parents[3])
    kept = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    return {**kept, "PYTHONPATH": os.pathsep.join([root, *filter(None, sys.path)]), "PYTHONDONTWRITEBYTECODE": "1"}


@dataclass(frozen=True)
class Limits:
    """What one worker may use."""

    wall_s: float  # of one request
    memory_mib: int
    environment: dict[str, str]
