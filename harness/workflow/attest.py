"""Attest: who answers as production, k of k, with which effective settings, and what differs from file and record.

Read-only: no guardian is started, nothing is loaded, no request generates a token.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from harness.adapters import ADAPTERS, EngineReport
from harness.adapters.base import merged_flags
from harness.gates.armed import NOTHING_SEEN
from harness.gates.markers import MarkerCount, marker_counts
from harness.gates.ready import dialled, prove_process
from harness.gates.running import Running, readable_env
from harness.gates.witness import unseen
from harness.hosts.base import Held, Production
from harness.hosts.looking import loaded_objects, processes
from harness.hosts.onlooker import Onlooker
from harness.vocabulary.target import Target
from harness.workflow.accepted_run import RecordedBaseline
from harness.workflow.carrier import onlooker
from harness.workflow.not_running import served_by_others
from harness.workflow.production import differences
from harness.workflow.proof import named_by
from harness.workflow.recorded_words import blanks_over
from harness.workflow.way_up import State, way_up

KV_TOLERANCE = 0.02  # free memory differs a little from start to start; a smaller cache than this is a finding


@dataclass(frozen=True)
class Setting:
    """One flag: what the target's file asks for and what the engine says is in force."""

    flag: str
    wanted: str
    effective: str | None  # none where the engine does not say


@dataclass(frozen=True)
class Attestation:
    """What was seen at one look."""

    target: str
    as_described: bool  # it runs, it is the recorded process, markers and settings are as file and record say
    sentence: str
    pid: int | None = None
    url: str | None = None
    settings: tuple[Setting, ...] = ()
    drift: tuple[str, ...] = ()
    markers: tuple[MarkerCount, ...] = ()
    kv_tokens: int | None = None  # tokens that the engine's cache holds; none where it does not say
    running: Running = NOTHING_SEEN  # processes with environment by allow-list, and mapped objects by hash
    compared_with: str | None = None  # the run whose record of the accepted baseline it was held against

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


async def attest(
    target: Target,
    state_dir: Path,
    recorded: RecordedBaseline | None = None,
    states: tuple[State, ...] = ("up",),
) -> Attestation:
    """Look at production of `target` as it is now, on the host that carries it. `state_dir` is this machine's.

    `states` are those on record, by which one that does not run is told how it comes up.
    """
    async with onlooker(state_dir, target) as looking:
        production = await looking.production()
        return blanks_over(target, production).whole(await _attest(target, looking, production, recorded, states))


async def _attest(
    target: Target,
    onlooker: Onlooker,
    production: Production,
    recorded: RecordedBaseline | None,
    states: tuple[State, ...],
) -> Attestation:
    if production.held is None:
        meant = "it should be up" if production.wanted else "nobody asked for it"
        advice = way_up(target.name, states, wanted=production.wanted)
        beside = await served_by_others(target, onlooker)
        way = beside or f"'{advice}' brings it up"
        return Attestation(target.name, False, f"{target.name} does not run ({meant}); {way}")
    held, url = production.held, production.url or named_by(target)
    proof = await prove_process(onlooker, held, url, target.endpoint.host)
    if not proof.passed:
        return Attestation(target.name, False, f"{target.name}: {proof.evidence}", held.pid, url)
    url = await onlooker.reach(dialled(url, target.endpoint.host))
    report = await ADAPTERS[target.adapter].report(url, await onlooker.read_log(held))
    seen = await _seen(target, onlooker, held, report)
    drift = (
        *differences(target, production.started_as),
        *(count.sentence for count in seen.markers if count.count != count.needed),
        *(f"not seen: {witness}" for witness in unseen(target.baseline.witness, report)),
        *(
            f"{one.flag}: asked {one.wanted}, in force {one.effective}"
            for one in seen.settings
            if one.effective not in (None, one.wanted)
        ),
        *(_since(recorded, report, seen) if recorded else ()),
    )
    said = f"; DRIFT: {'; '.join(drift)}" if drift else ", as its file describes it"
    sentence = f"{target.name} is up: pid {held.pid} answers at {url}{said}"
    run = recorded.run if recorded else None
    return replace(
        seen, as_described=not drift, sentence=sentence, pid=held.pid, url=url, drift=drift, compared_with=run
    )


async def _seen(target: Target, onlooker: Onlooker, held: Held, report: EngineReport) -> Attestation:
    """Everything that is looked at, before anything is compared."""
    adapter = ADAPTERS[target.adapter]
    tree = await processes(onlooker, held, readable_env(target, None))
    running = Running(tree, await loaded_objects(onlooker, held))
    settings = tuple(
        Setting(flag, comparable, report.effective.get(flag))
        for flag, value in merged_flags(target, None).items()
        if (comparable := adapter.comparable(flag, value)) is not None
    )
    markers = marker_counts(target, report.log, running.pids)
    kv_tokens = adapter.kv_tokens(report)
    return Attestation(target.name, False, "", settings=settings, markers=markers, kv_tokens=kv_tokens, running=running)


def _since(recorded: RecordedBaseline, report: EngineReport, seen: Attestation) -> Sequence[str]:
    """What is not as it was when the accepted baseline was last measured; what either side lacks is no difference."""
    said = [
        f"{flag}: {then} in run {recorded.run}, {report.effective[flag]} now"
        for flag, then in recorded.effective.items()
        if flag != "kv-cache-tokens" and report.effective.get(flag, then) != then
    ]
    then_tokens = recorded.effective.get("kv-cache-tokens", "")
    if then_tokens.isdigit() and seen.kv_tokens is not None and seen.kv_tokens < (1 - KV_TOLERANCE) * int(then_tokens):
        said.append(f"the cache holds {seen.kv_tokens:,} tokens, {int(then_tokens):,} in run {recorded.run}")
    for one in seen.running.objects:
        then = recorded.objects.get(one.path)
        if then is not None and one.sha256 is not None and one.sha256 != then:
            said.append(f"{one.path!r} has another content than in run {recorded.run}")
    return said
