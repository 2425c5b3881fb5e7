"""Earlier runs of the same arm and revision: what each said, and whether a later one outweighs them. Only reads."""

from dataclasses import dataclass

from harness.verdicts.acceptance import criteria_missing
from harness.vocabulary.criteria import Criteria
from ledger.entries import Gate, Launch, MeasuringRun, RunEnd, Verdict
from ledger.store import Ledger


@dataclass(frozen=True)
class EarlierRun:
    """One run before the one that an acceptance rests on."""

    run: str
    said: str  # its answer on the primary metric; how it ended where it gave none
    blocks: int  # of a completed run; a void or stopped one answered nothing
    against: bool  # it completed, and the arm did not meet the criteria in it

    @property
    def sentence(self) -> str:
        """The run in a few words."""
        return f"{self.run} said {self.said} over {self.blocks} blocks" if self.blocks else f"{self.run} {self.said}"


def earlier_runs(ledger: Ledger, runs: list[MeasuringRun], arm: str, criteria: Criteria) -> tuple[EarlierRun, ...]:
    """What `runs` said about `arm` (a fingerprint), judged by the revision's own criteria."""
    ends = {end.run: end for _, end in ledger.of(RunEnd)}
    return tuple(_said(ledger, run, ends.get(run.run), arm, criteria) for run in runs)


def not_outweighed(run: MeasuringRun, earlier: tuple[EarlierRun, ...], own_blocks: int) -> str | None:
    """Why `run` does not outweigh earlier runs that said otherwise, or none if it does or none did."""
    blocks = sum(one.blocks for one in earlier)
    against = [one.sentence for one in earlier if one.against]
    if not against or run.blocks >= blocks:
        return None
    enough = max(blocks + run.blocks, own_blocks)
    return (
        f"{run.run} is not the first run of this arm and revision ({'; '.join(against)}), and its {run.blocks} blocks "
        f"do not outweigh the {blocks} of all earlier runs; measure again with --blocks {enough}"
    )


def _said(ledger: Ledger, run: MeasuringRun, end: RunEnd | None, arm: str, criteria: Criteria) -> EarlierRun:
    if end is None or end.outcome != "completed":
        return EarlierRun(run.run, f"was {end.outcome if end else 'not finished'}", 0, against=False)
    verdicts = [verdict for _, verdict in ledger.of(Verdict, run=run.run, arm=arm)]
    launches = [launch for _, launch in ledger.of(Launch, run=run.run)]
    gates = [gate for _, gate in ledger.of(Gate, run=run.run)]
    primary = next((verdict for verdict in verdicts if verdict.primary), None)
    said = (primary.speed or primary.validity) if primary else "nothing"
    return EarlierRun(run.run, said, run.blocks, bool(criteria_missing(criteria, arm, verdicts, launches, gates)))
