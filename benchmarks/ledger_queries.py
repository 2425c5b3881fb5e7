"""How long questions take of a long ledger: `python -m benchmarks.ledger_queries --entries 1000000`.

Each question is asked as the command asks it (answer, marks of doubt, marks of what was measured before a change), of
several names in turn, in one process. `--file` keeps the ledger and goes on building it where it stopped.
"""

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks.ledger_history import TARGETS, build, driver, flag, model_file, reviewer, target
from committee.cli.asking import marks_of
from ledger import asking
from ledger.standing import conclusions_on
from ledger.store import Ledger

ASKED = 15  # times each, of different names
BUILD_S = 3600.0

Answer = Sequence[asking.Judged | asking.Decided]


@dataclass(frozen=True)
class Took:
    """One asking, milliseconds: of a busy machine the processor's time can be read, the wall's less so."""

    wall: float
    cpu: float


@dataclass(frozen=True)
class Taken:
    """One question, how long it took, and the most answers it gave."""

    question: str
    answer: tuple[Took, ...]  # the answer alone
    whole: tuple[Took, ...]  # with its marks, as the command prints it
    answers: int

    @property
    def row(self) -> str:
        """A line of the table."""
        cells = [f"{self.question} | {self.answers:,}"]
        for part in (
            [one.cpu for one in self.answer],
            [one.cpu for one in self.whole],
            [one.wall for one in self.whole],
        ):
            cells.append(f"{statistics.median(part):.1f} | {max(part):.1f}")
        return f"| {' | '.join(cells)} |"


class Clock:
    """Since it was made."""

    def __init__(self) -> None:
        self._wall, self._cpu = time.perf_counter(), time.process_time()

    def took(self) -> Took:
        """Milliseconds until now."""
        return Took((time.perf_counter() - self._wall) * 1e3, (time.process_time() - self._cpu) * 1e3)


def ask(ledger: Ledger, question: str, answer: Callable[[int], Answer]) -> Taken:
    """A question with its marks."""
    alone, whole, most = list[Took](), list[Took](), 0
    for number in range(ASKED):
        clock = Clock()
        found = answer(number)
        alone.append(clock.took())
        marks_of(ledger, found)
        whole.append(clock.took())
        most = max(most, len(found))
    return Taken(question, tuple(alone), tuple(whole), most)


def rest(ledger: Ledger, launches: Sequence[int]) -> Taken:
    """Which conclusions rest on a launch, the nearest first."""
    taken, most = list[Took](), 0
    for seq in launches:
        clock = Clock()
        found = conclusions_on(ledger, ledger.find(str(seq)), most=asking.MOST)
        taken.append(clock.took())
        most = max(most, len(found))
    return Taken("which conclusions rest on this launch", tuple(taken), tuple(taken), most)


QUESTIONS: dict[str, Callable[[Ledger, int], Answer]] = {
    "every verdict on this flag ever": lambda on, one: asking.verdicts_on_setting(on, flag(one)),
    "the same on one target": lambda on, one: asking.verdicts_on_setting(on, flag(one), target(one * 4)),
    "what is production made of and why": lambda on, one: asking.production_of(on, target(one % TARGETS)),
    "what did reviewer X propose that held": lambda on, one: asking.predictions_that_held(on, reviewer(one)),
    "what was measured under driver Y": lambda on, one: asking.measured_under_driver(on, driver(one * 450)),
    "what was measured on this card": lambda on, one: asking.measured_on_card(on, f"GPU-{one}"),
    "what was measured with this model file": lambda on, one: asking.measured_with_model(on, model_file(one % TARGETS)),
    "what was measured by this version of the harness": lambda on, _: asking.measured_with_version(on, "0.1.0"),
}


def measure(path: Path) -> list[Taken]:
    """Every question of the list."""
    with Ledger.open(path, actor="bench") as ledger, ledger.kept_open():
        taken = [ask(ledger, question, partial(answer, ledger)) for question, answer in QUESTIONS.items()]
        return [*taken, rest(ledger, _launches(ledger))]


def _launches(ledger: Ledger) -> list[int]:
    """As many as are asked about, from the whole length of the ledger."""
    with ledger.looking() as connection:
        seqs = [row[0] for row in connection.exec_driver_sql("SELECT seq FROM launch ORDER BY seq")]
    return seqs[:: max(1, len(seqs) // ASKED)][:ASKED]


def main(argv: Sequence[str] | None = None) -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entries", type=int, default=1_000_000)
    parser.add_argument("--file", type=Path, help="a ledger of this benchmark, made or gone on with there")
    given = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="ledger-queries-") as folder:
        path = given.file or Path(folder) / "records.db"
        count = build(path, given.entries, BUILD_S)
        taken = measure(path)
        size_mb = path.stat().st_size / 1e6
    print(f"{count:,} entries, {size_mb:,.0f} MB, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores\n")
    print(
        "| question | most answers | answer, CPU ms, median | max | with marks, CPU ms, median | max | wall ms | max |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for one in taken:
        print(one.row)


if __name__ == "__main__":
    main()
