"""Whatever an acceptance reads as evidence: with it struck there is no evidence, with the strike struck there is."""

from pathlib import Path
from typing import TypeVar

from committee.accept.evidence import Evidence, evidence, subject
from committee.proposals.revision import freeze
from ledger import entries as e
from ledger.entries import Payload
from ledger.store import Entry, Ledger
from tests.committee.accept.sample import FOUR, Bench, make_bench
from tests.ledger import examples

RUN = "m-000001"
# Decisions and marks: they say against which baseline another run was measured and what is doubted; they prove nothing.
NO_EVIDENCE = {"acceptance", "rollback", "invalidation", "supersession", "tombstone"}
OF_A_TICKET = {"trial", "machine", "model"}  # what the ticket is bound to besides
P = TypeVar("P", bound=Payload)


class Watched(Ledger):
    """A ledger that remembers which kinds it was asked for."""

    asked: frozenset[str] = frozenset()

    def of(self, schema: type[P], **where: object) -> list[tuple[Entry, P]]:
        """As a ledger."""
        self.asked |= {schema.kind}
        return super().of(schema, **where)


def measured(bench: Bench) -> None:
    """One run whose verdict names a trial, with its machine, its model file and its revision on record."""
    metrics = (e.Metric(metric="total_tok_s", load=4, value=86.0, samples=1),)
    trial = e.Trial(launch=f"{RUN}/0", run=RUN, protocol="ladder", reason=None, detail="", metrics=metrics)
    revision = e.Revision(proposal=bench.folder.name, tree=freeze(bench.folder).tree, files=())
    named = bench.ledger.append_all([revision, trial])[1]
    first = (examples.machine(RUN), examples.model(RUN, arm=FOUR.fingerprint))
    bench.measure(RUN, first=first, trials=(named.id,))


def test_nothing_that_an_acceptance_reads_can_be_struck_without_being_missed(tmp_path: Path) -> None:
    bench = make_bench(tmp_path)
    database = bench.ledger.database
    with bench.ledger, Watched(database, "test", database.engine(create=False)) as ledger:
        measured(bench)
        found = subject(bench.workspace, ledger, "0001", "four-slots")
        assert not isinstance(found, tuple)
        assert isinstance(evidence(bench.workspace, ledger, found), Evidence)
        kinds = (ledger.asked - NO_EVIDENCE) | OF_A_TICKET | {"revision"}
        assert {"run_end", "gate", "launch", "arm", "measuring_run", "verdict"} <= kinds
        rested = {entry.kind: entry for entry in ledger.entries(*kinds)}
        assert rested.keys() == kinds, "the sample holds one of everything that is read"
        for entry in rested.values():
            mark = ledger.append(e.Invalidation(subject=entry.id, fact=None, reason="it was not so", person="Ada"))
            said = evidence(bench.workspace, ledger, found)
            assert isinstance(said, tuple) and "does not stand" in said[0], entry.kind
            ledger.append(e.Invalidation(subject=mark.id, fact=None, reason="it was", person="Ada"))
        assert isinstance(evidence(bench.workspace, ledger, found), Evidence)
