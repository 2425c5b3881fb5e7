"""One launch against every fault of the simulator: is the verdict right, with its own reason code?

Run it with `python -m benchmarks.faults`; it prints a Markdown table. Servers are simulated, the bench is the one that
ships: guardian, gates, client and protocols.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks import fault_cases
from benchmarks.fault_cases import CASES, MEASURED, NUMERICS_UNKNOWN, RETURNED, TEXT_CHANGED, Case
from harness.hosts.local import LocalHost
from harness.procfs import stat
from harness.simulator import cards, nvml
from harness.simulator.faults import Fault
from harness.verdicts.numerics import numerics
from harness.vocabulary.outcome import Numerics, Role
from harness.workflow.launch import run_launch
from harness.workflow.launch_values import LaunchOutcome, LaunchRequest

AT_ONCE = 2  # launches side by side; more would make a small machine late
CASE_LIMIT_S = 120.0
RUN = "faults-simulated"
WORKERS = 4
OBJECT_BYTES = b"\x7fELF" + bytes(8192)


@dataclass(frozen=True)
class Judged:
    """One case and what the bench said."""

    case: Case
    got: str
    sentence: str
    left: tuple[int, ...]  # processes of the server that outlived the launch
    seconds: float

    @property
    def right(self) -> bool:
        """Whether the bench said what is right, and left nothing behind."""
        return self.got == self.case.wanted and not self.left


def said(case: Case, outcome: LaunchOutcome, texts: Sequence[tuple[str, ...]]) -> str:
    """The launch's verdict in the words of the cases; `texts` are those of launches without the fault."""
    if not outcome.usable:
        return outcome.reason or "nothing"
    if case.note:
        notes = [gate.reason.value for gate in outcome.gates if gate.reason is not None]
        return notes[0] if notes else MEASURED
    if not outcome.memory_returned:
        return RETURNED
    if case.wanted == TEXT_CHANGED and numerics([*texts], [outcome.texts]) is Numerics.CHANGED:
        return TEXT_CHANGED
    if case.wanted == NUMERICS_UNKNOWN and numerics([*texts, outcome.texts], [texts[0]]) is Numerics.UNKNOWN:
        return NUMERICS_UNKNOWN
    return MEASURED


def prepare(folder: Path) -> None:
    """A folder for one launch, with the shared object that some cases load and cards on which nothing runs."""
    folder.mkdir(parents=True)
    (folder / "kernel.so").write_bytes(OBJECT_BYTES)
    cards.write(folder / fault_cases.CARDS, cards.idle(WORKERS))


async def judged(case: Case, folder: Path, texts: Sequence[tuple[str, ...]] = ()) -> tuple[Judged, LaunchOutcome]:
    """Run one launch of a case in a folder of its own."""
    began = time.monotonic()
    prepare(folder)
    arm = fault_cases.arm_of(case, case.arm, folder)
    planned = fault_cases.arm_of(case, case.planned, folder)
    request = LaunchRequest(
        launch=f"{RUN}.b0.t1.p0",
        run=RUN,
        block=0,
        attempt=1,
        position=0,
        role=Role.ARM if arm else Role.BASELINE,
        arm=arm,
        prompt_seed=1,
        cwd=folder,
    )
    host = await LocalHost.open(folder / "state")
    try:
        await host.begin(RUN)
        arms = tuple(one for one in (arm, planned) if one is not None)
        target, criteria = fault_cases.target_of(case, folder), fault_cases.criteria_of(case)
        there = folder / fault_cases.CARDS if case.cards else None
        with nvml.cards_of(there):
            async with asyncio.timeout(CASE_LIMIT_S):
                outcome = await run_launch(request, target, criteria, host, arms, lambda event: None)
        await host.end()
        await host.dismiss()
    finally:
        await host.close()
    left = tuple(pid for pid in pids_in(outcome.log_text) if runs(pid))
    return Judged(case, said(case, outcome, texts), outcome.sentence, left, time.monotonic() - began), outcome


def pids_in(log: str) -> list[int]:
    """Workers that a log names."""
    return sorted({int(word.split(")")[0]) for word in log.split("pid=")[1:] if word.split(")")[0].isdigit()})


def runs(pid: int) -> bool:
    """Whether a process runs; a zombie does not."""
    found = stat(pid)
    return found is not None and found.runs


async def all_cases(chosen: Sequence[Case], folder: Path, tell: Callable[[Judged], None]) -> list[Judged]:
    """Every chosen case, a few at a time, after two launches without any fault."""
    texts = [(await judged(CASES[0], folder / f"plain-{number}"))[1].texts for number in range(2)]
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(number: int, case: Case) -> Judged:
        async with gate:
            found, _ = await judged(case, folder / str(number), texts)
        tell(found)
        return found

    with nvml.standing_in():
        return list(await asyncio.gather(*(one(number, case) for number, case in enumerate(chosen))))


def table(found: Sequence[Judged]) -> str:
    """Markdown: fault, wanted, got."""
    lines = ["| simulated fault | right to say | said | |", "|---|---|---|---|"]
    for one in found:
        mark = "right" if one.right else f"WRONG{f', left {list(one.left)}' if one.left else ''}"
        lines.append(f"| {one.case.name} | `{one.case.wanted}` | `{one.got}` | {mark} |")
    right = sum(one.right for one in found)
    return "\n".join([*lines, "", f"{right} of {len(found)} right (simulator; one launch each)."])


def uncovered() -> list[str]:
    """Faults of the simulator that no case is about."""
    named = {word.partition("=")[0] for case in CASES for word in case.words}
    return [fault.value for fault in Fault if fault.value not in named]


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="only cases whose name holds one of these")
    words = parser.parse_args().names
    chosen = [case for case in CASES if not words or any(word in case.name for word in words)]

    def tell(found: Judged) -> None:
        mark = "right" if found.right else "WRONG"
        sys.stderr.write(f"{mark:5} {found.case.name}: {found.got} ({found.seconds:.1f} s) {found.sentence[:200]}\n")

    with tempfile.TemporaryDirectory() as folder:
        found = asyncio.run(all_cases(chosen, Path(folder), tell))
    print(table(found))
    sys.exit(not all(one.right for one in found))


if __name__ == "__main__":
    main()
