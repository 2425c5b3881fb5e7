"""Words of a production that was started from its guardian's record: the target's files may name its secrets no longer.

A private file that is gone, or a value that was changed since, is still in the record and in what was started from it.
Pure.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from harness.adapters.base import bare_environment
from harness.blanks import Blanks
from harness.hosts.base import Production
from harness.hosts.restore import RestoreOutcome, unquoted
from harness.vocabulary.private import blanks_of
from harness.vocabulary.target import Target


def blanks_over(target: Target, production: Production) -> Blanks:
    """What takes private values out of such words: those of the files, and recorded ones that may be private."""
    return blanks_of(target, *_unsaid(target, production))


def unsaid(target: Target, production: Production) -> tuple[str, ...]:
    """Names of recorded variables whose value the target's files say no longer; those that may be recorded are open."""
    return tuple(sorted({name for values in _unsaid(target, production) for name in values}))


def withheld(outcome: RestoreOutcome, target: Target, production: Production, where: Path) -> RestoreOutcome:
    """A restore's outcome as it may be shown and recorded; `where` is the state directory that keeps the rest."""
    names = unsaid(target, production)
    if not (names and outcome.quotes):
        return blanks_of(target).whole(outcome)
    several = len(names) > 1
    note = (
        f"the files of target {target.name!r} do not say what {', '.join(names)} {'were' if several else 'was'} when "
        f"production was recorded, and {'they' if several else 'it'} may be private; production is restored as it was "
        "recorded, and nothing that it said is shown"
    )
    return replace(unquoted(outcome, where), note=note)


def _unsaid(target: Target, production: Production) -> Iterator[Mapping[str, str]]:
    baseline = target.baseline
    may_be_recorded = {*target.recorded_env, *target.allowed_env, *bare_environment()} - {*baseline.private}
    for spec in (production.spec, production.started_as, production.former):
        if spec is not None:
            yield {
                name: value
                for name, value in spec.env
                if name not in may_be_recorded and baseline.env.get(name) != value
            }
