"""Processes of the compiler, shut in: each takes the next job when it is done, so that none idles beside a long one."""

import json
import os
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import IO, Any

from harness.kernels.bench.reasons import Reason
from harness.kernels.diagnose import Diagnosis
from ledger.extras import install

COMPILING_S = 300.0  # of one job
MOST_AT_ONCE = 8  # processes; loading the compiler costs a quarter of a second of CPU in each
JOBS_EACH = 2  # fewer are not worth a process of their own
MISSING = f"NVRTC and cuda-core are not installed here; {install('kernels')}"
NOT_THERE = "No module named 'cuda"

Asked = dict[str, Any]
Answer = dict[str, Any] | Diagnosis


def compiled(argv: Sequence[str], jobs: Sequence[Asked]) -> list[Answer]:
    """What became of each job, in order. Jobs are begun in the order given: the longest should come first."""
    answers: list[Answer] = [Diagnosis(Reason.COMPILER_MISSING, MISSING)] * len(jobs)
    waiting, lock = iter(range(len(jobs))), threading.Lock()

    def work() -> None:
        with _Compiler(argv) as compiler:
            while not compiler.missing:
                with lock:
                    index = next(waiting, None)
                if index is None:
                    return
                answers[index] = compiler.compile(jobs[index])

    processes = max(1, min(MOST_AT_ONCE, os.cpu_count() or 1, -(-len(jobs) // JOBS_EACH)))
    with ThreadPoolExecutor(processes) as pool:
        for done in [pool.submit(work) for _ in range(processes if jobs else 0)]:
            done.result()
    return answers


class _Compiler:
    """One process, started when it is needed and again after a job that ended it. One owner."""

    def __init__(self, argv: Sequence[str]) -> None:
        self._argv, self.missing = argv, False
        self._process: subprocess.Popen[bytes] | None = None
        self._said: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed in __exit__

    def __enter__(self) -> "_Compiler":
        return self

    def __exit__(self, *_: object) -> None:
        self._end()
        self._said.close()

    def compile(self, job: Asked) -> Answer:
        """One job, within its time."""
        process = self._process = self._process or self._started()
        assert process.stdin is not None  # noqa: S101 - both are pipes
        assert process.stdout is not None  # noqa: S101
        late = threading.Event()

        def stop() -> None:
            late.set()
            process.kill()

        watch = threading.Timer(COMPILING_S, stop)
        watch.start()
        try:
            process.stdin.write(json.dumps(job).encode() + b"\n")
            process.stdin.flush()
            return dict(json.loads(process.stdout.readline()))
        except (OSError, ValueError):
            self._end()
            return self._fault(late=late.is_set())
        finally:
            watch.cancel()

    def _fault(self, *, late: bool) -> Diagnosis:
        if late:
            return Diagnosis(Reason.COMPILE_ERROR, f"the compiler was ended after {COMPILING_S:g} s")
        self._said.seek(0)
        words = self._said.read().decode("utf-8", "replace")
        self.missing = NOT_THERE in words
        last = " ".join(words.split())[-200:]
        return Diagnosis(Reason.COMPILER_MISSING, MISSING) if self.missing else Diagnosis(Reason.COMPILE_ERROR, last)

    def _started(self) -> subprocess.Popen[bytes]:
        self._said.seek(0)
        self._said.truncate()
        return subprocess.Popen(self._argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._said)

    def _end(self) -> None:
        if self._process is None:
            return
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):  # what was not written to a process that is gone
                    pipe.close()
        self._process.kill()
        self._process.wait()
        self._process = None
