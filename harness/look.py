"""One question about a machine, answered in JSON: what a host runs, here or over ssh, to look without touching.

Standard library only: `python3 -m harness.look` reads one question on standard input and prints its answer, where
`procfs.py`, `procview.py`, `machineview.py`, `modelview.py` and `overlay/` lie beside it in a folder named `harness`.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from harness import machineview, modelview, procfs, procview

Json = dict[str, Any]

QUESTIONS: dict[str, Callable[[Json], Any]] = {
    "processes": lambda asked: procview.processes(asked["pids"], asked["names"]),
    "objects": lambda asked: procview.objects(asked["pids"], asked["wanted"]),
    "port_use": lambda asked: procview.port_use(asked["port"], asked["pids"]),
    "free_port": lambda asked: procview.free_port(asked["host"]),
    "other_logs": lambda asked: procview.other_logs(
        Path(asked["log"]), asked["pids"], asked["since"], asked["patterns"]
    ),
    "missing": lambda asked: procview.missing(asked["program"], asked["search"], asked["cwd"], asked["paths"]),
    "usage": lambda asked: procview.usage(asked["pids"]),
    "files": lambda asked: procview.files(Path(asked["folder"])),
    "machine": lambda asked: machineview.machine(asked["pids"]),
    "models": lambda asked: modelview.models(asked["paths"], asked["known"], whole=asked["whole"]),
    "identity": lambda asked: machineview.identity(),
    "cards": lambda asked: machineview.cards(),
    "memory": lambda asked: procfs.available_mib(),
}


def answer(question: Json) -> Any:
    """The answer as a JSON value; `question["ask"]` names it, the rest are its arguments. Raises KeyError."""
    return QUESTIONS[question["ask"]](question)


def main() -> None:
    """One question in, one answer out."""
    sys.stdout.write(json.dumps(answer(json.loads(sys.stdin.read()))) + "\n")


if __name__ == "__main__":
    main()
