"""Measured before: which runs were made with another baseline, model file, driver, card or machine than today's.

Such a row was right at its time and is not today's production. Derived anew each time, never stored.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from ledger.model_files import baseline_models, model_changes
from ledger.store import Ledger

COMPARED = ("host", "kernel", "cpu", "cores", "driver", "cards", "engine")  # in the order in which they are named
AT_ONCE = 500  # names in one statement
# Of baselines: an arm's own model is the arm's. A look at an acceptance runs the baseline before it, not today's.
MODELS = (
    "SELECT m.seq, m.target, m.run, f.path, f.bytes, f.written, f.sample_sha256, f.sha256 "
    "FROM model m JOIN model_file f ON f.seq = m.seq WHERE m.target IN (THESE) AND m.arm IS NULL "
    "AND NOT EXISTS (SELECT 1 FROM watch w WHERE w.run = m.run) ORDER BY m.seq, f.item"
)


@dataclass(frozen=True)
class Seen:
    """The machine of a run's launches from entry `seq` on."""

    seq: int
    run: str
    facts: tuple[str, ...]  # as `COMPARED`; empty for what the machine did not say


@dataclass(frozen=True)
class Turn:
    """From entry `seq` on another baseline is in force: an acceptance, or none for the target's own file."""

    seq: int
    acceptance: str | None
    name: str


@dataclass(frozen=True)
class Changed:
    """The first thing that is not any more as it was when a run was measured."""

    seq: int  # the entry that shows the change
    words: str

    @property
    def sentence(self) -> str:
        """For people."""
        return f"measured before {self.words} (#{self.seq})"


def machine_changes(seen: Sequence[Seen], runs: Collection[str]) -> dict[str, Changed]:
    """Pure: for each of these runs of one target whose last machine is not the newest one, the first that differs.

    `seen` are the target's machines, oldest first. What came back to what it was is no change; what one of the two did
    not say is none either.
    """
    last = {one.run: one for one in seen}
    turns = [_turns(seen, number) for number in range(len(COMPARED))]
    found: dict[str, Changed] = {}
    for run in last.keys() & runs:
        mine = last[run]
        changes = [
            Changed(seq, f"its {name} changed from {then} to {value}")
            for number, (name, then) in enumerate(zip(COMPARED, mine.facts, strict=True))
            if then and seen[-1].facts[number] not in ("", then)
            for seq, value in [_first_other(turns[number], mine.seq, then)]
        ]
        if changes:
            found[run] = min(changes, key=lambda changed: changed.seq)
    return found


def _turns(seen: Sequence[Seen], number: int) -> list[tuple[int, str]]:
    """Where one fact is said to be another than it was said to be before."""
    turns: list[tuple[int, str]] = []
    for one in seen:
        value = one.facts[number]
        if value and (not turns or turns[-1][1] != value):
            turns.append((one.seq, value))
    return turns


def _first_other(turns: Sequence[tuple[int, str]], seq: int, then: str) -> tuple[int, str]:
    later = bisect_right(turns, seq, key=lambda turn: turn[0])
    return next(turn for turn in turns[later:] if turn[1] != then)


def baseline_changes(runs: Mapping[str, int], turns: Sequence[Turn]) -> dict[str, Changed]:
    """Pure: for each run (id -> number of its plan) begun with another baseline than the one in force now, the first
    turn after it. `turns` are the target's, oldest first."""
    found: dict[str, Changed] = {}
    for run, seq in runs.items():
        later = bisect_right(turns, seq, key=lambda turn: turn.seq)
        then = turns[later - 1].acceptance if later else None
        if later < len(turns) and turns[-1].acceptance != then:
            found[run] = Changed(turns[later].seq, f"the baseline changed to {turns[later].name}")
    return found


def measured_before(ledger: Ledger, runs: Iterable[str]) -> dict[str, Changed]:
    """For each of these runs that was measured before a change, the earliest change; by the run's id."""
    found: dict[str, Changed] = {}
    with ledger.looking() as connection:
        asked = _runs(connection, sorted(set(runs)))
        targets = sorted(asked)
        every = {run for mine in asked.values() for run in mine}
        turns, seen = _baselines(connection, targets), _machines(connection, targets, every)
        models = baseline_models(_select(connection, MODELS, targets), every)
    for target, mine in asked.items():
        files = model_changes(models.get(target, ()), mine.keys())
        for changes in (
            baseline_changes(mine, turns[target]),
            machine_changes(seen[target], mine.keys()),
            {run: Changed(*changed) for run, changed in files.items()},
        ):
            for run, changed in changes.items():
                if run not in found or changed.seq < found[run].seq:
                    found[run] = changed
    return found


def _select(connection: Connection, words: str, names: Sequence[str]) -> list[tuple[object, ...]]:
    """Plain tuples, as the driver gives them; the names stand for THESE."""
    mark, found = ("%s" if connection.dialect.name == "postgresql" else "?"), list[tuple[object, ...]]()
    for first in range(0, len(names), AT_ONCE):
        part = tuple(names[first : first + AT_ONCE])
        cursor = connection.connection.cursor()
        try:
            cursor.execute(words.replace("THESE", ", ".join([mark] * len(part))), part)
            found += cursor.fetchall()
        finally:
            cursor.close()
    return found


def _runs(connection: Connection, names: Sequence[str]) -> dict[str, dict[str, int]]:
    """Target -> run -> number of its plan."""
    asked: dict[str, dict[str, int]] = defaultdict(dict)
    words = "SELECT target, run, seq FROM measuring_run WHERE run IN (THESE)"
    for target, run, seq in _select(connection, words, names):
        asked[str(target)][str(run)] = int(str(seq))
    return asked


def _baselines(connection: Connection, targets: Sequence[str]) -> dict[str, list[Turn]]:
    turns: dict[str, list[Turn]] = defaultdict(list)
    accepted: dict[str, str] = {}
    words = "SELECT a.target, a.seq, e.id, a.arm_name FROM acceptance a JOIN entry e ON e.seq = a.seq"
    for target, seq, entry_id, name in _select(connection, f"{words} WHERE a.target IN (THESE)", targets):
        accepted[str(entry_id)] = str(name)
        turns[str(target)].append(Turn(int(str(seq)), str(entry_id), str(name)))
    words = "SELECT target, seq, back_to FROM rollback WHERE target IN (THESE)"
    for target, seq, back_to in _select(connection, words, targets):
        to = str(back_to) if back_to in accepted else None
        turns[str(target)].append(Turn(int(str(seq)), to, accepted[to] if to else "its own file"))
    for mine in turns.values():
        mine.sort(key=lambda turn: turn.seq)
    return turns


def _machines(connection: Connection, targets: Sequence[str], asked: Collection[str]) -> dict[str, list[Seen]]:
    """Of each target's machines those that differ from the one before, and those of the runs that are asked about."""
    cards: dict[object, tuple[object, ...]] = {}
    words = "SELECT c.seq, c.name, c.uuid FROM machine m JOIN machine_card c ON c.seq = m.seq WHERE m.target IN (THESE)"
    for seq, *card in _select(connection, f"{words} ORDER BY c.seq, c.item", targets):
        cards[seq] = (*cards.get(seq, ()), *card)
    seen: dict[str, list[Seen]] = defaultdict(list)
    newest: dict[object, tuple[object, ...]] = {}
    words = "SELECT target, seq, run, host, kernel, cpu, cores, driver, engine FROM machine WHERE target IN (THESE)"
    for target, seq, run, *facts in _select(connection, f"{words} ORDER BY seq", targets):
        known = (*facts, *cards.get(seq, ()))
        if run in asked or newest.get(target) != known:
            newest[target] = known
            seen[str(target)].append(Seen(int(str(seq)), str(run), _facts(facts, cards.get(seq, ()))))
    return seen


def _facts(facts: Sequence[object], cards: Sequence[object]) -> tuple[str, ...]:
    """As `COMPARED`; of each card its name and uuid."""
    *machine, driver, engine = ("" if one is None else str(one) for one in facts)
    named = [" ".join(str(one) for one in cards[first : first + 2] if one) for first in range(0, len(cards), 2)]
    return (*machine, driver, ", ".join(named), engine)
