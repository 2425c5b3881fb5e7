"""Which entries rest on which, found by the tables' indexes: sets of sequence numbers in, sets out. It never writes.

An entry rests on others: a launch on its machine and model files, a trial on its launch, a verdict on its trials, on
the launches and gates that counted and on how its run ended, an acceptance on its verdicts, a deployment on its
acceptance, a brief on its reviews, a run on the acceptance that made its baseline.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from sqlalchemy import Connection

from ledger import reading
from ledger.entries import Brief, ReviewRun
from ledger.in_force import Course, course_of
from ledger.store import Entry, Ledger

Edges = tuple[tuple[str, str], ...]  # what kind rests on it, and the words that find it
AT_ONCE = 500  # numbers in one statement
OF_RUN = ("machine", "model", "launch", "gate", "trial", "verdict", "run_end", "not_applied")
OF_REVIEW_RUN = ("attempt", "review", "hypothesis")
# Also without a number a launch said something about its arm: why there is none, what it answered, what it could do.
COUNTED = "verdict v ON v.run = l.run AND v.seq > l.seq AND (l.arm IS NULL OR l.arm = v.arm)"
LAST_ATTEMPT = (  # a broken block is repeated whole, and what it was before says nothing
    "NOT EXISTS (SELECT 1 FROM launch n WHERE n.run = l.run AND n.block = l.block AND n.attempt > l.attempt)"
)
# On what kind -> what kind rests on it, and how both are found; the numbers asked about stand for THESE.
EDGES: Mapping[str, Edges] = {
    "machine": (
        (
            "launch",
            "SELECT l.seq, m.seq FROM machine m JOIN launch l ON l.run = m.run AND l.seq > m.seq "
            "WHERE m.seq IN (THESE) AND NOT EXISTS "
            "(SELECT 1 FROM machine n WHERE n.run = m.run AND n.seq > m.seq AND n.seq < l.seq)",
        ),
    ),
    "model": (
        (
            "launch",
            "SELECT l.seq, m.seq FROM model m JOIN launch l "
            "ON l.run = m.run AND l.seq > m.seq AND COALESCE(l.arm, '') = COALESCE(m.arm, '') "
            "WHERE m.seq IN (THESE) AND NOT EXISTS (SELECT 1 FROM model n WHERE n.run = m.run "
            "AND COALESCE(n.arm, '') = COALESCE(m.arm, '') AND n.seq > m.seq AND n.seq < l.seq)",
        ),
    ),
    "measuring_run": tuple(
        (kind, f"SELECT t.seq, r.seq FROM measuring_run r JOIN {kind} t ON t.run = r.run WHERE r.seq IN (THESE)")  # noqa: S608
        for kind in OF_RUN
    ),
    "launch": (
        *(
            (kind, f"SELECT t.seq, l.seq FROM launch l JOIN {kind} t ON t.launch = l.launch WHERE l.seq IN (THESE)")  # noqa: S608
            for kind in ("gate", "trial")
        ),
        ("verdict", f"SELECT v.seq, l.seq FROM launch l JOIN {COUNTED} WHERE l.seq IN (THESE) AND {LAST_ATTEMPT}"),  # noqa: S608
    ),
    # A verdict is believed because its run completed.
    "run_end": (
        ("verdict", "SELECT v.seq, n.seq FROM run_end n JOIN verdict v ON v.run = n.run WHERE n.seq IN (THESE)"),
    ),
    # A gate that must not be believed leaves the launch's numbers without proof.
    "gate": (("trial", "SELECT t.seq, g.seq FROM gate g JOIN trial t ON t.launch = g.launch WHERE g.seq IN (THESE)"),),
    "trial": (
        ("verdict", "SELECT v.seq, e.seq FROM entry e JOIN verdict_trial v ON v.trial = e.id WHERE e.seq IN (THESE)"),
    ),
    "verdict": (
        (
            "acceptance",
            "SELECT a.seq, e.seq FROM entry e JOIN acceptance_verdict a ON a.verdict = e.id WHERE e.seq IN (THESE)",
        ),
        (
            "not_applied",
            "SELECT n.seq, v.seq FROM verdict v JOIN not_applied n ON n.run = v.run AND n.arm = v.arm "
            "WHERE v.seq IN (THESE)",
        ),
        (
            "watch",
            "SELECT w.seq, e.seq FROM entry e JOIN verdict v ON v.seq = e.seq "
            "JOIN watch w ON w.run = v.run AND w.verdict = e.id WHERE e.seq IN (THESE)",
        ),
    ),
    "acceptance": (
        ("ticket", "SELECT t.seq, e.seq FROM entry e JOIN ticket t ON t.acceptance = e.id WHERE e.seq IN (THESE)"),
        *(
            (
                kind,
                f"SELECT d.seq, e.seq FROM entry e JOIN acceptance a ON a.seq = e.seq "  # noqa: S608 - names from here
                f"JOIN {kind} d ON d.target = a.target AND d.{named} = e.id WHERE e.seq IN (THESE)",
            )
            for kind, named in (("deployment", "acceptance"), ("rollback", "back_to"))
        ),
    ),
    "ticket": (
        (
            "deployment",
            "SELECT d.seq, t.seq FROM ticket t JOIN deployment d ON d.target = t.target AND d.ticket = t.sha256 "
            "WHERE t.seq IN (THESE)",
        ),
    ),
    "kernel_run": (
        (
            "kernel_verdict",
            "SELECT v.seq, r.seq FROM kernel_run r JOIN kernel_verdict v ON v.run = r.run WHERE r.seq IN (THESE)",
        ),
    ),
    "arm": (
        (
            "verdict",
            "SELECT v.seq, a.seq FROM arm a JOIN verdict v ON v.arm = a.fingerprint AND v.target || '' = a.target "
            "WHERE a.seq IN (THESE)",
        ),
    ),
    "review_run": tuple(
        (kind, f"SELECT t.seq, r.seq FROM review_run r JOIN {kind} t ON t.run = r.run WHERE r.seq IN (THESE)")  # noqa: S608
        for kind in OF_REVIEW_RUN
    ),
    "response": (
        (
            "review",
            "SELECT v.seq, r.seq FROM response r JOIN review v ON v.attempt = r.attempt WHERE r.seq IN (THESE)",
        ),
    ),
    "revision": tuple(
        (kind, f"SELECT t.seq, r.seq FROM revision r JOIN {kind} t ON t.tree = r.tree WHERE r.seq IN (THESE)")  # noqa: S608
        for kind in ("review_run", "measuring_run", "kernel_run")
    ),
}
# Asked of what the walk starts at only: a gate that is reached through its launch leads nowhere else.
OF_STARTS: Mapping[str, Edges] = {
    "gate": (
        (
            "verdict",
            f"SELECT v.seq, g.seq FROM gate g JOIN launch l ON l.launch = g.launch JOIN {COUNTED} AND v.seq > g.seq "  # noqa: S608
            f"WHERE g.seq IN (THESE) AND {LAST_ATTEMPT}",
        ),
    ),
}
IN_A_BRIEF = ("review_run", "review", "hypothesis")


@dataclass(frozen=True)
class Node:
    """One entry, and through which of the starts it was reached."""

    seq: int
    kind: str
    start: int


Found = Iterator[tuple[int, str, int]]  # what rests, its kind, on what


class Resting:
    """Walks from entries to what rests on them; remembers what it has looked up."""

    def __init__(self, ledger: Ledger, connection: Connection) -> None:
        self._ledger, self._connection = ledger, connection
        self._courses: dict[str, Course] = {}

    def reach(self, starts: Mapping[int, str], most: int | None = None) -> tuple[Node, ...]:
        """Everything that rests on the starts (number -> kind), themselves left out, each once, nearest first.

        With `most` it stops once it has found as many.
        """
        known = {seq: Node(seq, kind, seq) for seq, kind in starts.items()}
        level, also = list(known.values()), OF_STARTS
        while level and (most is None or len(known) - len(starts) < most):
            by_kind: dict[str, list[Node]] = defaultdict(list)
            for node in level:
                by_kind[node.kind].append(node)
            level = []
            for kind, nodes in by_kind.items():
                for seq, found, on in self._rest_on(kind, sorted(node.seq for node in nodes), also):
                    if seq not in known:
                        known[seq] = Node(seq, found, known[on].start)
                        level.append(known[seq])
            also = {}
        reached = list(known.values())[len(starts) :]
        return tuple(reached if most is None else reached[:most])

    def _rest_on(self, kind: str, seqs: list[int], also: Mapping[str, Edges]) -> Found:
        for first in range(0, len(seqs), AT_ONCE):
            part = seqs[first : first + AT_ONCE]
            for found, words in (*EDGES.get(kind, ()), *also.get(kind, ())):
                for seq, on in self._connection.exec_driver_sql(words.replace("THESE", _listed(part))).all():
                    yield seq, found, on
            if kind == "acceptance":
                yield from self._runs_against(part)
            if kind in IN_A_BRIEF:
                yield from self._briefs(kind, part)

    def _runs_against(self, seqs: list[int]) -> Found:
        """Runs against the baseline that an acceptance made: those begun while it was in force.

        A run that looked at it again was measured against the baseline before it, and does not rest on it.
        """
        asked = self._connection.exec_driver_sql(
            f"SELECT DISTINCT target FROM acceptance WHERE seq IN ({_listed(seqs)})"  # noqa: S608 - numbers
        )
        for (target,) in asked.all():
            if target not in self._courses:
                self._courses[target] = course_of(self._ledger, target)
            course, again = self._courses[target], {run for _, run in self._of_target("watch", target)}
            for seq, run in self._of_target("measuring_run", target):
                decided = course.before(seq)
                if decided is not None and decided[0].seq in seqs and run not in again:
                    yield seq, "measuring_run", decided[0].seq

    def _of_target(self, table: str, target: str) -> list[tuple[int, str]]:
        mark = "%s" if self._connection.dialect.name == "postgresql" else "?"
        words = f"SELECT seq, run FROM {table} WHERE target = {mark} ORDER BY seq"  # noqa: S608 - names from here
        return [(seq, run) for seq, run in self._connection.exec_driver_sql(words, (target,)).all()]

    def _briefs(self, kind: str, seqs: list[int]) -> Found:
        """A later round's reviews and hypotheses are in the brief of the run that it belongs to."""
        asked = self._connection.exec_driver_sql(
            f"SELECT seq, run FROM {kind} WHERE seq IN ({_listed(seqs)})"  # noqa: S608 - numbers, names from here
        )
        for on, run in asked.all():
            rounds = {begun.of_run for _, begun in self._ledger.of(ReviewRun, run=run) if begun.of_run}
            for name in (run, *sorted(rounds)):
                for entry, _ in self._ledger.of(Brief, run=name):
                    yield entry.seq, "brief", on


def _listed(seqs: Iterable[int]) -> str:
    return ", ".join(map(str, seqs))


def resting(ledger: Ledger, starts: Mapping[int, str], most: int | None = None) -> tuple[Node, ...]:
    """Everything that rests on entries, given by number and kind; see `Resting.reach`."""
    with ledger.looking() as connection:
        return Resting(ledger, connection).reach(starts, most)


def entries_of(ledger: Ledger, seqs: Iterable[int]) -> tuple[Entry, ...]:
    """Entries by number, in order."""
    numbers, found = sorted(seqs), list[Entry]()
    with ledger.looking() as connection:
        for first in range(0, len(numbers), AT_ONCE):
            found += reading.by_number(connection, numbers[first : first + AT_ONCE])
    return tuple(found)


def ids_of(ledger: Ledger, seqs: Iterable[int]) -> dict[int, str]:
    """The ids of entries by number."""
    numbers, found = sorted(seqs), dict[int, str]()
    with ledger.looking() as connection:
        for first in range(0, len(numbers), AT_ONCE):
            words = f"SELECT seq, id FROM entry WHERE seq IN ({_listed(numbers[first : first + AT_ONCE])})"  # noqa: S608
            found.update((seq, entry_id) for seq, entry_id in connection.exec_driver_sql(words).all())
    return found


def runs_around(ledger: Ledger, seq: int) -> tuple[int, ...]:
    """Measuring runs that had begun before an entry and not ended: the entries of their plans."""
    words = (
        f"SELECT r.seq FROM measuring_run r WHERE r.seq < {seq} "  # noqa: S608 - a number
        f"AND NOT EXISTS (SELECT 1 FROM run_end n WHERE n.run = r.run AND n.seq < {seq})"
    )
    with ledger.looking() as connection:
        return tuple(row[0] for row in connection.exec_driver_sql(words).all())
