"""From one start of the server to a person's decision: launch, trial, verdict, acceptance, each named by the next."""

import json
from pathlib import Path

from committee.accept.accept import accept
from ledger.entries import Acceptance, Launch, Metric, Trial, Verdict
from tests.committee.accept.sample import Bench, make_bench
from tests.committee.cli.yard import typed

RUN = "m-000001"


def trial(block: int, value: float) -> Trial:
    """One load of the launch that the sample's run makes in that block."""
    said = Metric(metric="total_tok_s", load=4, value=value, samples=1)
    return Trial(launch=f"{RUN}/{block}", run=RUN, protocol="ladder", reason=None, detail="", metrics=(said,))


def accepted(bench: Bench) -> tuple[Acceptance, tuple[str, ...]]:
    """An arm accepted on a verdict that names the trials it was computed from; ids of the trials."""
    trials = tuple(bench.ledger.append(trial(block, 86.0 + block)).id for block in (0, 1))
    bench.measure(RUN, trials=trials)
    outcome = accept(bench.workspace, bench.ledger, "0001", "four-slots", "four users wait less", "Ada Example")
    assert isinstance(outcome, Acceptance)
    return outcome, trials


def test_what_was_accepted_rests_on_every_launch_and_is_open_again_without_one(tmp_path: Path) -> None:
    bench = make_bench(tmp_path)
    with bench.ledger:
        acceptance, trials = accepted(bench)
        launches = [entry for entry, _ in bench.ledger.of(Launch, run=RUN)]
        ((verdict, _),) = bench.ledger.of(Verdict)
        ((decision, _),) = bench.ledger.of(Acceptance)
    assert acceptance.verdicts == (verdict.id,)
    for launch, by in zip(launches, trials, strict=True):
        said = typed(bench.workspace.folder, "committee", "rests", launch.id, "--json")
        chain = [one["id"] for one in json.loads(said.out) if one["kind"] in ("trial", "verdict", "acceptance")]
        assert chain == [by, verdict.id, decision.id], said.out
    lines = typed(bench.workspace.folder, "committee", "rests", trials[0]).out.splitlines()
    assert [line.split()[1] for line in lines][:2] == ["verdict", "acceptance"]

    struck = typed(bench.workspace.folder, "committee", "invalidate", launches[1].id, "--reason", "a throttled card")
    assert struck.code == 0, struck
    again = typed(bench.workspace.folder, "committee", "reopened")
    assert again.code == 1 and "four-slots" in again.out, "one launch struck, and the decision is open again"
