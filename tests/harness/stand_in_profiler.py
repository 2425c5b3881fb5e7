"""A stand-in for a profiler in tests: runs a command and leaves one file for each process it had; it measures nothing.

`python stand_in_profiler.py --output=FOLDER/report.%p [--crash-inside] COMMAND...`
"""

import signal
import subprocess
import sys
import time
from pathlib import Path
from types import FrameType

from harness import procfs


def main(argv: list[str]) -> int:
    """Run the command to its end, then write a file for every process that was seen below this one."""
    output, command = argv[1].removeprefix("--output="), argv[2:]
    if command[0] == "--crash-inside":
        print("torch._dynamo.exc.Unsupported: Attempted to call function marked as skipped", flush=True)  # noqa: T201
        return 1
    child = subprocess.Popen(command)

    def stop(number: int, frame: FrameType | None) -> None:
        child.terminate()

    signal.signal(signal.SIGTERM, stop)
    seen: set[int] = set()
    while child.poll() is None:
        tree = procfs.members("", lambda label: False, {child.pid: procfs.start_time(child.pid)})
        seen |= set(tree)
        time.sleep(0.02)
    for pid in sorted(seen):
        Path(output.replace("%p", str(pid))).write_text(f"profile of {pid}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
