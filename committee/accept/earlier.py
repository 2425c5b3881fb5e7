"""Other runs that asked the same question: what each said, and whether the one in hand outweighs them. Only reads.

Two runs ask the same question if they measured the same change (an arm's fingerprint) on the same target, for the same
primary metric at the same load: whatever proposal, revision or protocol they belong to, for a proposal is copied and a
revision is made with one new line. Only another baseline on record begins anew: another acceptance was in force, and
what was launched as the baseline differed as well. Why it is so: docs/decisions/0005-run-again.md.
"""

from dataclasses import dataclass, replace

from harness.verdicts.acceptance import criteria_missing
from harness.vocabulary.criteria import Criteria
from ledger.entries import Gate, Launch, MeasuringRun, RunEnd, Verdict
from ledger.in_force import Course, course_of
from ledger.standing import EVIDENCE, withheld_in_runs
from ledger.store import Entry, Ledger

Begun = tuple[Entry, MeasuringRun]


@dataclass(frozen=True)
class EarlierRun:
    """One run on record beside the one that an acceptance rests on."""

    run: str
    said: str  # its answer on the primary metric, or how it ended
    blocks: int  # that its verdict stands on, not those it planned; a void or stopped run answered nothing
    against: bool  # it completed, and the arm did not meet the criteria in it, or that cannot be known any more
    answered: bool = False  # it completed
    later: bool = False  # begun after the one that the acceptance rests on

    @property
    def sentence(self) -> str:
        """The run in a few words."""
        return f"{self.run} {self.said} over {self.blocks} blocks" if self.answered else f"{self.run} {self.said}"


def earlier_runs(ledger: Ledger, begun: Begun, arm: str, criteria: Criteria) -> tuple[EarlierRun, ...]:
    """Every other run on record of the question that `begun` asks of `arm` (a fingerprint), oldest first.

    Each is judged by the criteria that it was measured with, and by `criteria` as far as it measured what they ask.
    """
    ends = {end.run: end for _, end in ledger.of(RunEnd)}
    lacking = withheld_in_runs(ledger, EVIDENCE)
    found: list[EarlierRun] = []
    for entry, run in _same_question(ledger, begun, arm):
        said = _said(ledger, run, ends.get(run.run), arm, criteria)
        if said.answered and entry.seq in lacking:
            said = replace(said, said=f"{said.said} (with something withheld)", against=True)
        found.append(replace(said, later=entry.seq > begun[0].seq))
    return tuple(found)


def blocks_behind(criteria: Criteria, verdicts: list[Verdict]) -> int:
    """Complete blocks that the verdict on the primary metric stands on, 0 without one."""
    primary = _primary(criteria, verdicts)
    return primary.blocks if primary else 0


def not_outweighed(run: str, own_blocks: int, earlier: tuple[EarlierRun, ...], asked_blocks: int) -> str | None:
    """Why `run` does not outweigh other runs that said otherwise, or none if it does or none did.

    `own_blocks` are those that its verdict stands on, `asked_blocks` those that the criteria ask for.
    """
    blocks = sum(one.blocks for one in earlier)
    against = [one for one in earlier if one.against]
    later = [one.run for one in against if one.later]
    if not against or (own_blocks >= blocks and not later):
        return None
    weighed = f"its {own_blocks} blocks do not outweigh the {blocks} of all others"
    why = f"{', '.join(later)} came later" if later else weighed
    return (
        f"{run} is not the only run of this arm ({'; '.join(one.sentence for one in against)}), and {why}; "
        f"measure again with --blocks {max(blocks + own_blocks, asked_blocks)}"
    )


def _same_question(ledger: Ledger, begun: Begun, arm: str) -> list[Begun]:
    entry, run = begun
    course = course_of(ledger, run.target)
    return [
        other
        for other in ledger.of(MeasuringRun, target=run.target)
        if other[0].seq != entry.seq
        and arm in other[1].arms
        and _compared(other[1]) == _compared(run)
        and not _other_baseline(course, other, begun)
    ]


def _compared(run: MeasuringRun) -> tuple[str, int]:
    primary = Criteria.model_validate(run.criteria).primary
    return primary.name, primary.load


def _other_baseline(course: Course, one: Begun, other: Begun) -> bool:
    """Both by decision and in what was launched: a target's file alone is changed too easily to begin anew."""
    launched = [run.target_model_sha256 for _, run in (one, other)]
    decided = [course.before(entry.seq) for entry, _ in (one, other)]
    return None not in launched and launched[0] != launched[1] and decided[0] != decided[1]


def _said(ledger: Ledger, run: MeasuringRun, end: RunEnd | None, arm: str, criteria: Criteria) -> EarlierRun:
    if end is None or end.outcome != "completed":
        return EarlierRun(run.run, f"was {end.outcome if end else 'not finished'}", 0, against=False)
    verdicts = [verdict for _, verdict in ledger.of(Verdict, run=run.run, arm=arm)]
    launches = [launch for _, launch in ledger.of(Launch, run=run.run)]
    gates = [gate for _, gate in ledger.of(Gate, run=run.run)]
    both = (Criteria.model_validate(run.criteria), _as_far_as_measured(criteria, verdicts, gates))
    primary = _primary(criteria, verdicts)
    said = f"said {(primary.speed or primary.validity) if primary else 'nothing'}"
    against = any(criteria_missing(one, arm, verdicts, launches, gates) for one in both)
    return EarlierRun(run.run, said, blocks_behind(criteria, verdicts), against, answered=True)


def _as_far_as_measured(criteria: Criteria, verdicts: list[Verdict], gates: list[Gate]) -> Criteria:
    """Without guards and gates that a run did not look at: not to have asked is no answer against."""
    numbers = {(verdict.metric, verdict.load) for verdict in verdicts}
    checked = {gate.gate for gate in gates}
    guards = tuple(guard for guard in criteria.guard if (guard.name, guard.load) in numbers)
    return criteria.model_copy(
        update={"guard": guards, "gates": tuple(gate for gate in criteria.gates if gate.value in checked)}
    )


def _primary(criteria: Criteria, verdicts: list[Verdict]) -> Verdict | None:
    wanted = (criteria.primary.name, criteria.primary.load)
    return next((verdict for verdict in verdicts if (verdict.metric, verdict.load) == wanted), None)
