"""One of several processes that verify: `python -m ledger.checks.part FILE FIRST LAST` proves a stretch in JSON."""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path

from ledger import sqlite
from ledger.checks.stretch import Proved, prove_stretch


@contextmanager
def beside(path: Path | None, stretches: Sequence[tuple[int, int]]) -> Iterator[list["subprocess.Popen[str]"]]:
    """A process for each stretch; none outlives the block."""
    with ExitStack() as stack:
        running: list[subprocess.Popen[str]] = []
        for first, last in stretches if path else ():
            argv = [sys.executable, "-m", __spec__.name, str(path), str(first), str(last)]
            process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
            stack.enter_context(process)
            stack.callback(process.kill)  # before it is waited for
            running.append(process)
        yield running


def result_of(process: "subprocess.Popen[str]") -> Proved | None:
    """What a process proved, none when it did not."""
    said, _errors = process.communicate()
    value = json.loads(said) if process.returncode == 0 else None
    return None if value is None else Proved(value["last_id"], tuple(value["backwards"]), tuple(value["withheld"]))


def main(path: str, first: str, last: str) -> int:
    """Exit status 0 and a proof in JSON, or 1 when nothing is shown."""
    with sqlite.open_read_only(Path(path), exact=True).connect() as connection:
        proved = prove_stretch(connection, int(first), int(last))
    if proved is None:
        return 1
    sys.stdout.write(json.dumps(asdict(proved)))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
