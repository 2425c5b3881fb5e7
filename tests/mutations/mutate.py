"""Takes out one refusal at a time in a copy of the tree and expects its test to fail.

`python -m tests.mutations.mutate [--only ID ...] [--processes N]`; exit 1 if a mutation survives or the list is wrong.
"""

import argparse
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

from tests.mutations.copies import Copy
from tests.mutations.refusals import Refusal, faults, read_refusals

PROCESSES = 2
FAILED = 1  # pytest's status when tests failed; any other says nothing about the refusal


@dataclass(frozen=True)
class Result:
    """What became of one mutation, or of the tests before any."""

    id: str
    good: bool
    said: str


def run(refusals: Sequence[Refusal], processes: int = PROCESSES) -> Iterator[Result]:
    """Results as they come: first the tests as they are, then each mutation whose file of tests passed as it is.

    Raises RuntimeError as `Copy.make`.
    """
    copies: SimpleQueue[Copy] = SimpleQueue()
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mutations-"))).resolve()
        for number in range(processes):
            copies.put(stack.enter_context(Copy.make(scratch / str(number))))
        pool = stack.enter_context(ThreadPoolExecutor(processes))
        failing: set[str] = set()  # files whose tests say nothing about a refusal
        jobs = _unmutated(refusals)
        for job, result in zip(jobs, pool.map(lambda job: _one(copies, "unmutated", None, job), jobs), strict=True):
            if not result.good:
                failing.add(job[0].partition("::")[0])
            yield result
        telling = [one for one in refusals if one.test_path not in failing]
        yield from pool.map(lambda one: _one(copies, one.id, one, one.arguments), telling)


def _unmutated(refusals: Sequence[Refusal]) -> list[tuple[str, ...]]:
    """Pytest's arguments: for each file one job for tests chosen by name, and one for those chosen by an expression."""
    named: dict[str, set[str]] = defaultdict(set)
    expressed: dict[str, set[str]] = defaultdict(set)
    for one in refusals:
        if len(one.arguments) == 1:
            named[one.test_path].add(one.test)
        else:
            expressed[one.test_path].add(f"({one.arguments[2]})")
    jobs = [tuple(sorted(tests)) for _, tests in sorted(named.items())]
    return jobs + [(path, "-k", " or ".join(sorted(said))) for path, said in sorted(expressed.items())]


def _one(copies: "SimpleQueue[Copy]", name: str, refusal: Refusal | None, arguments: tuple[str, ...]) -> Result:
    copy = copies.get()
    try:
        if refusal is None:
            ran = copy.test(arguments)
            return Result(name, ran.status == 0, f"{arguments[0]} ...: {ran.last_line}")
        with copy.mutated(refusal):
            ran = copy.test(arguments)
    finally:
        copies.put(copy)
    if ran.status == FAILED:
        return Result(name, True, "caught")
    return Result(name, False, "SURVIVED" if ran.status == 0 else f"NO ANSWER ({ran.status}): {ran.last_line}")


def main(argv: list[str] | None = None) -> int:
    """Print a line for each result and the count; exit 1 unless every mutation was caught."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutations.mutate", description=__doc__)
    parser.add_argument("--only", action="append", default=[], help="id of a refusal, or the beginning of some")
    parser.add_argument("--processes", type=int, default=PROCESSES)
    asked = parser.parse_args(argv)
    known = read_refusals()
    wrong = faults(known)
    chosen = [one for one in known if not asked.only or one.id.startswith(tuple(asked.only))]
    for said in wrong or ([] if chosen else ["no refusal has that id"]):
        sys.stdout.write(f"{said}\n")
    if wrong or not chosen:
        return 1
    bad = 0
    for result in run(chosen, asked.processes):
        bad += not result.good
        sys.stdout.write(f"{result.id:44} {result.said}\n")
        sys.stdout.flush()
    sys.stdout.write(f"{len(chosen)} mutations, {bad} not caught\n")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
