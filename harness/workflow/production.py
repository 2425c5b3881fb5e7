"""Production's own life: its start, its way down for a run, its way back, each written to the ledger."""

import shlex
from dataclasses import dataclass
from datetime import datetime
from itertools import takewhile
from pathlib import Path

from harness.adapters import ADAPTERS, Place, server_spec
from harness.hosts.base import Held, NotStarted, ServerSpec
from harness.hosts.host import Host
from harness.vocabulary.private import blanks_of
from harness.vocabulary.target import Target
from harness.workflow.recorded_words import blanks_over
from harness.workflow.way_up import State, been_up, way_up
from ledger.entries import Launch, MeasuringRun, TargetState
from ledger.standing import withheld_in_runs
from ledger.store import Ledger


@dataclass(frozen=True)
class Down:
    """Production cannot be brought up; the sentence says why and what to do."""

    sentence: str


STATES = Path(".committee", "targets")  # in a workspace: one folder a target, by its name


def state_dir(workspace: Path, target: Target) -> Path:
    """Where the guardian of a target keeps its socket, logs and what it knows of production."""
    return workspace / STATES / target.name


def production_spec(target: Target, workspace: Path) -> ServerSpec:
    """The baseline as the guardian starts it."""
    place = Place(alias="production", port=target.endpoint.port, cwd=workspace)
    return server_spec(ADAPTERS[target.adapter], target, None, place)


async def record_as_it_runs(host: Host) -> None:
    """Have production that runs come back as it was started, whatever was recorded for its next start meanwhile."""
    production = await host.production()
    ran = production.started_as
    if production.held is not None and ran not in (None, production.spec) and production.former is None:
        await host.set_production(ran)


def differences(target: Target, started_as: ServerSpec | None) -> tuple[str, ...]:
    """What a production that runs was started with other than the target describes; empty where nothing runs."""
    if started_as is None:
        return ()
    wanted = production_spec(target, started_as.cwd)
    said: list[str] = []
    if started_as.argv != wanted.argv:
        ran, asks = _apart(started_as.argv, wanted.argv), _apart(wanted.argv, started_as.argv)
        said.append(f"started with {ran}, the target's file says {asks}")
    old, new = dict(started_as.env), dict(wanted.env)
    changed = [name for name in sorted(old.keys() | new.keys()) if old.get(name) != new.get(name)]
    return (*said, *(f"environment variable {name} was another one when it was started" for name in changed))


def _apart(words: tuple[str, ...], others: tuple[str, ...]) -> str:
    """The stretch of a command that is not in the other one, as a shell would take it."""
    start = _alike(words, others)
    end = _alike(words[start:][::-1], others[start:][::-1])
    start -= bool(start and words[start - 1].startswith("--"))  # the flag of a changed value
    return shlex.join(words[start : len(words) - end]) or "nothing there"


def _alike(words: tuple[str, ...], others: tuple[str, ...]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(words, others, strict=False)))


@dataclass(frozen=True)
class Occasion:
    """Who handles production, and during which run (none outside a run)."""

    target: Target
    by: str
    run: str | None = None
    accepted: str | None = None  # fingerprint of the accepted arm that the target holds, empty for none; none: not told


async def bring_up(host: Host, ledger: Ledger, occasion: Occasion) -> Held | Down:
    """Start production, or find it up already; the outcome is an entry either way."""
    blanks = blanks_over(occasion.target, await host.production())
    outcome = blanks.whole(await host.bring_back())
    if isinstance(outcome, NotStarted):
        ledger.append(_state(occasion, "restore_failed", outcome.detail))
        said = f"production of {occasion.target.name!r} did not come up ({outcome.detail})"
        return Down(f"{said}; {_what_to_do(ledger, occasion)}")
    production = await host.production()
    as_told = production.started_as is not None and not differences(occasion.target, production.started_as)
    state: State = "restored" if occasion.run else "up"
    seen = _state(occasion, state, "ready line in its own log", outcome, blanks.whole(production.url))
    ledger.append(seen.model_copy(update={"accepted": occasion.accepted if as_told else None}))
    return outcome


def _what_to_do(ledger: Ledger, occasion: Occasion) -> str:
    """Restoring starts what was recorded once more: advice for a production that has been up, and for no other."""
    name = occasion.target.name
    states = states_of(ledger, name)
    if occasion.run and been_up(states):
        return f"run '{way_up(name, states, wanted=True)}'"
    never = "" if been_up(states) else "it has never been up here, so "
    return (
        f"{never}mend [baseline] in 'targets/{name}.toml' after what its log says and run 'harness start {name}' "
        f"again, or give it up with 'harness stop {name}'"
    )


def states_of(ledger: Ledger, name: str) -> tuple[State, ...]:
    """The states of a target's production on record, in order."""
    return tuple(state.state for _, state in ledger.of(TargetState, target=name))


async def take_down(host: Host, ledger: Ledger, occasion: Occasion) -> Held | None:
    """Stop production for a run, or for good where there is no run; none if it was not up."""
    if occasion.run:
        held = await host.take_down()
    else:
        held = (await host.production()).held
        await host.stop_production()
    evidence = "stopped by process id" if held else "it was not running"
    ledger.append(_state(occasion, "taken_down" if held else "down", evidence, held))
    return held


def away_s(ledger: Ledger, run: str) -> float:
    """Seconds for which the starts of a run that are on record kept production away.

    A start that was killed has no entry of production's return, which the guardian brought about: it counts up to its
    last launch. Where a state was withheld nobody can tell when production went: it counts from the run's plan on.
    """
    launches = [(entry.seq, entry.time) for entry, _ in ledger.of(Launch, run=run)]
    states = [(entry.seq, entry.time, state.state) for entry, state in ledger.of(TargetState, run=run)]
    for plan, _ in ledger.of(MeasuringRun, run=run):
        withheld = withheld_in_runs(ledger, {Launch.kind, TargetState.kind}).get(plan.seq, ())
        launches += [(entry.seq, entry.time) for entry in withheld]
        if any(entry.kind == TargetState.kind for entry in withheld):
            return _seconds(
                plan.time, max([time for _, time in launches] + [time for _, time, _ in states], default=plan.time)
            )
    taken = [number for number, (_, _, state) in enumerate(states) if state == "taken_down"]
    seconds = 0.0
    for number, following in zip(taken, [*taken[1:], len(states)], strict=False):  # none has no end either
        seq, began, _ = states[number]
        before = states[following][0] if following < len(states) else None
        backs = [time for _, time, state in states[number + 1 : following] if state in ("restored", "restore_failed")]
        done = [time for at, time in launches if at > seq and (before is None or at < before)]
        ended = backs[-1] if backs else max(done, default=began)
        seconds += _seconds(began, ended)
    return seconds


def _seconds(began: str, ended: str) -> float:
    return (datetime.fromisoformat(ended) - datetime.fromisoformat(began)).total_seconds()


def _state(
    occasion: Occasion, state: State, evidence: str, held: Held | None = None, url: str | None = None
) -> TargetState:
    blanks = blanks_of(occasion.target)
    return TargetState(
        target=occasion.target.name,
        state=state,
        by=occasion.by,
        run=occasion.run,
        pid=held.pid if held else None,
        start_time=held.start_time if held else None,
        url=blanks.whole(url),
        evidence=blanks.text(evidence),
    )
