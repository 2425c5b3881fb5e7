"""What rests on what, held against its definition on random histories: edges are told from payloads alone."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection

from ledger import entries as e
from ledger.inserting import insert_entries
from ledger.resting import resting
from ledger.standing import all_resting_on, doubts
from ledger.store import Entry, Ledger, newest
from tests.ledger.examples import TREE, A, acceptance, launch, machine, model, verdict

NUMBERS = count(1)
MOST_STEPS = 24
Step = tuple[int, int, int]  # what is added, and two choices of what it names


@dataclass
class History:
    """A random course of events on a target of its own, and which entry rests on which by definition."""

    connection: Connection  # in one transaction, so that a history costs one fsync
    target: str
    entries: list[Entry] = field(default_factory=list)
    on: dict[int, set[int]] = field(default_factory=dict)  # entry -> what it rests on

    def add(self, payload: e.Payload, *on: Entry) -> Entry:
        (entry,) = insert_entries(self.connection, (payload,), "test", newest(self.connection))
        self.entries.append(entry)
        self.on[entry.seq] = {one.seq for one in on}
        return entry

    def of(self, kind: type[e.Payload]) -> list[Entry]:
        return [one for one in self.entries if isinstance(one.payload, kind)]

    def pick(self, kind: type[e.Payload], choice: int) -> list[Entry]:
        found = self.of(kind)
        return [found[choice % len(found)]] if found else []

    def above(self, starts: set[int]) -> set[int]:
        """By definition: what rests on a start or on what rests on one; later entries rest on earlier ones."""
        reached = set(starts)
        for seq in sorted(self.on):
            if self.on[seq] & reached:
                reached.add(seq)
        return reached - starts

    def go(self, *steps: Step) -> None:
        """One after the other."""
        for step in steps:
            self.step(step)

    def step(self, step: Step) -> None:
        """Whichever is possible of a run, a machine, a launch, a gate, a trial, a verdict, an acceptance or a model."""
        what, first, second = step
        (
            self._run, self._machine, self._launch, self._gate, self._trial, self._verdict, self._accept, self._model,
        )[what % 8](first, second)  # fmt: skip

    def _run(self, _first: int, _second: int) -> None:
        name = f"m-{next(NUMBERS):08}"
        made = self.of(e.Acceptance)[-1:]
        run = e.MeasuringRun(
            run=name, target=self.target, target_sha256=A, proposal=None, tree=None, criteria={}, arms=(A,), seed=1,
            blocks=2, slots=(), downtime_s=3, harness_version="0.1.0",
        )  # fmt: skip
        self.add(run, *made)

    def _machine(self, first: int, second: int) -> None:
        for run in self.pick(e.MeasuringRun, first):
            name = _name(run)
            self.add(machine(name, target=self.target, driver=f"driver-{second % 3}"), run)

    def _model(self, first: int, second: int) -> None:
        for run in self.pick(e.MeasuringRun, first):
            made = model(_name(run), arm=A if second % 2 else None, name=f"{second}.gguf")
            self.add(made.model_copy(update={"target": self.target}), run)

    def _launch(self, first: int, _second: int) -> None:
        for run in self.pick(e.MeasuringRun, first):
            ran = launch(_name(run)).model_copy(
                update={"launch": f"{_name(run)}.{len(self.entries)}", "target": self.target}
            )
            models = [one for one in self.of(e.Model) if _name(one) == _name(run) and getattr(one.payload, "arm", None)]
            self.add(ran, run, *[one for one in self.of(e.Machine) if _name(one) == _name(run)][-1:], *models[-1:])

    def _gate(self, first: int, _second: int) -> None:
        for ran in self.pick(e.Launch, first):
            (run,) = [one for one in self.of(e.MeasuringRun) if _name(one) == _name(ran)]
            gate = e.Gate(launch=_launch(ran), run=_name(ran), gate="armed", passed=True, reason=None, evidence="x")
            entry = self.add(gate, run, ran)
            for trial in self.of(e.Trial):  # a gate also proves numbers that were recorded before it
                if _launch(trial) == _launch(ran):
                    self.on[trial.seq].add(entry.seq)

    def _trial(self, first: int, _second: int) -> None:
        for ran in self.pick(e.Launch, first):
            (run,) = [one for one in self.of(e.MeasuringRun) if _name(one) == _name(ran)]
            gates = [one for one in self.of(e.Gate) if _launch(one) == _launch(ran)]
            trial = e.Trial(
                launch=_launch(ran), run=_name(ran), protocol="ladder", reason="x", metrics=(), detail=""
            )  # fmt: skip
            self.add(trial, run, ran, *gates)

    def _verdict(self, first: int, second: int) -> None:
        for run in self.pick(e.MeasuringRun, first):
            trials = [one for one in self.of(e.Trial) if _name(one) == _name(run)][: 1 + second % 3]
            said = verdict(_name(run), target=self.target, trials=tuple(one.id for one in trials))
            seen = [one for kind in (e.Launch, e.Gate) for one in self.of(kind) if _name(one) == _name(run)]
            self.add(said, run, *trials, *seen)

    def _accept(self, first: int, second: int) -> None:
        named = [*self.pick(e.Verdict, first), *self.pick(e.Verdict, second)]
        if named:
            made = acceptance(target=self.target).model_copy(update={"verdicts": tuple(one.id for one in named)})
            self.add(made, *named)


def _name(entry: Entry) -> str:
    return str(getattr(entry.payload, "run", ""))


def _launch(entry: Entry) -> str:
    return str(getattr(entry.payload, "launch", ""))


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ledger]:
    with Ledger.open(tmp_path_factory.mktemp("resting") / "records.db", actor="test", create=True) as made:
        yield made


STEPS = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 9), st.integers(0, 9)), max_size=MOST_STEPS)
LONG = tuple(
    (one, 1, int(one == 7)) for one in (0, 1, 7, 2, 3, 4, 5, 6, 0, 1, 2, 4, 7, 1, 2, 3, 4, 5, 5, 6)
)  # two runs, the second against what the first accepted


def made(ledger: Ledger, *steps: Step) -> History:
    """A history on record."""
    with ledger.receiving() as connection:
        history = History(connection, f"target-{next(NUMBERS)}")
        history.go(*steps)
    return history


@given(steps=STEPS, start=st.integers(0, MOST_STEPS))
@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
def test_what_rests_on_an_entry_is_what_paths_reach(ledger: Ledger, steps: list[Step], start: int) -> None:
    history = made(ledger, *LONG, *steps)
    from_one = history.entries[start % len(history.entries)]
    found = resting(ledger, {from_one.seq: from_one.kind})
    assert {node.seq for node in found} == history.above({from_one.seq})
    assert len(found) == len({node.seq for node in found})
    several = {one.seq: one.kind for one in history.entries[:: 1 + start]}
    assert {node.seq for node in resting(ledger, several)} == history.above(set(several))
    nearest = resting(ledger, {from_one.seq: from_one.kind}, most=2)
    assert nearest == found[:2]


def test_a_struck_driver_opens_what_was_measured_under_it_and_nothing_else(ledger: Ledger) -> None:
    history = made(ledger, *LONG)
    older, newer = history.of(e.Machine)[0], history.of(e.Machine)[-1]
    ledger.append(machine("m-20200101-elsewhere", driver="driver-elsewhere"))
    mark = ledger.append(e.Invalidation(subject=None, fact="driver=driver-0", reason="it is slow", person="Ada"))
    found = doubts(ledger)
    struck = {one.seq for one in history.of(e.Machine)}
    open_again = history.above(struck)
    assert {seq for seq in open_again if ledger.find(str(seq)).id in found} == open_again
    assert found[older.id][0].struck and found[newer.id][0].struck
    assert not {one.id for one in history.of(e.MeasuringRun)[:1]} & found.keys(), "a plan rests on no machine"
    accepted = history.of(e.Acceptance)[0]
    assert "struck with the fact driver=driver-0 by Ada: it is slow" in found[accepted.id][-1].words
    ledger.append(e.Invalidation(subject=mark.id, fact=None, reason="it was not", person="Ada"))
    assert accepted.id not in doubts(ledger)
    card = ledger.append(e.Invalidation(subject=None, fact="card=GPU-1", reason="it is hot", person="Ada"))
    assert accepted.id in doubts(ledger)
    ledger.append(e.Invalidation(subject=card.id, fact=None, reason="it was not", person="Ada"))


def test_a_tree_is_rested_on_by_its_runs(ledger: Ledger) -> None:
    revision = ledger.append(e.Revision(proposal="0001-knob", tree=TREE, files=()))
    run = ledger.append(
        e.MeasuringRun(
            run="m-20261129-tree", target="t", target_sha256=A, proposal=None, tree=TREE, criteria={}, arms=(),
            seed=1, blocks=2, slots=(), downtime_s=3, harness_version="0.1.0",
        )
    )  # fmt: skip
    assert run.id in {one.id for one in all_resting_on(ledger, revision)}
