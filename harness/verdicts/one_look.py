"""One look at a run's record: which arms stop there, with which word, and at which level their bounds are shown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from harness.verdicts.asked import Asked, Stop
from harness.verdicts.departures import Departure, has_numbers, left_behind, values_of
from harness.verdicts.layout import fit, logs_of
from harness.verdicts.looks import Decision, decide
from harness.vocabulary.outcome import Speed
from harness.vocabulary.sequential import Because


@dataclass(frozen=True)
class Looked:
    """What a look changes."""

    name: str  # which look, for people
    stopped: Mapping[str, Stop]
    open_after: Mapping[str, Stop]  # of arms that go on: where they would stop if the run ended here


def look_at(
    asked: Asked, index: int, done: int, open_arms: Sequence[str], sharing: int, gone: Sequence[Departure] = ()
) -> Looked:
    """Apply look `index` (from 0) to the first `done` blocks of the confirmation; `sharing` arms share the level.

    `gone` is what left at earlier looks. Arms without a number in some complete block are left as they are: they have
    no word.
    """
    look = asked.run.looks[index]
    name = f"look {index + 1} of {len(asked.run.looks)} after {done} blocks"
    inside = asked.confirmation(done)
    blocks = inside.complete(asked.key)
    together = [arm for arm in open_arms if has_numbers(inside, arm, asked.key, blocks)]
    if len(blocks) < 2 or not together:
        return Looked(name, {}, {})
    logs = logs_of(values_of(inside, asked.key, together, blocks))
    fitted = fit(logs, left=left_behind(asked.cells, asked.key, gone))
    counted = np.array([asked.kind(arm) is None for arm in together])
    said = decide(fitted, look, asked.rule, np.array(sharing), counted)
    stopped: dict[str, Stop] = {}
    going: dict[str, Stop] = {}
    for column, arm in enumerate(together):
        speed = Speed(str(said.words[column]))
        because = _because(asked, said, column, arm)
        level = asked.criteria.level / int(said.of_arm[column])
        stop = Stop(index + 1, blocks, tuple(together), float(said.nominal[column]), level, speed, because)
        ends = because is not Because.BLOCKS or done == asked.run.looks[-1].blocks
        (stopped if ends else going)[arm] = stop
    return Looked(name, stopped, going)


def end_without_look(asked: Asked, done: int, open_arms: Sequence[str], sharing: int) -> Stop:
    """The stop of an arm that the budget ended, with bounds at the level of the look that would have come next."""
    if done < 1:
        return asked.not_confirmed(Because.BUDGET)
    index = next(index for index, look in enumerate(asked.run.looks) if look.blocks > done)
    nominal, level = asked.run.looks[index].levels[sharing - 1], asked.criteria.level / sharing
    blocks = asked.confirmation(done).complete(asked.key)
    return Stop(index + 1, blocks, tuple(open_arms), nominal, level, Speed.AMBIGUOUS, Because.BUDGET)


def _because(asked: Asked, said: Decision, column: int, arm: str) -> Because | None:
    """Why an arm has no word at this look; none if it has one. A known-bad arm is measured until it is seen to be."""
    if said.words[column] != Speed.AMBIGUOUS.value:
        return None
    given_up = bool(said.futile[column]) and asked.kind(arm) != "known-bad"
    return Because.FUTILITY if given_up else Because.BLOCKS
