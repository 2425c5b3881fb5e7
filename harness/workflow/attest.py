"""Attest: who answers as production, with which effective settings, and what differs from the target's file.

Read-only: no guardian is started, nothing is loaded, no request generates a token.
"""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from harness.adapters import ADAPTERS
from harness.adapters.base import merged_flags
from harness.gates.armed import missing_markers
from harness.gates.ready import dialled, prove_process
from harness.hosts.onlooker import Onlooker
from harness.vocabulary.target import Target
from harness.workflow.carrier import onlooker
from harness.workflow.production import differences
from harness.workflow.proof import named_by


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
    as_described: bool  # it runs, it is the recorded process, markers and settings are as the file says
    sentence: str
    pid: int | None = None
    url: str | None = None
    settings: tuple[Setting, ...] = ()
    drift: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


async def attest(target: Target, state_dir: Path) -> Attestation:
    """Look at production of `target` as it is now, on the host that carries it. `state_dir` is this machine's."""
    async with onlooker(state_dir, target) as looking:
        return await _attest(target, looking)


async def _attest(target: Target, onlooker: Onlooker) -> Attestation:
    production = await onlooker.production()
    if production.held is None:
        meant = "it should be up" if production.wanted else "nobody asked for it"
        advice = f"harness {'restore' if production.wanted else 'start'} {target.name}"
        return Attestation(target.name, False, f"{target.name} does not run ({meant}); '{advice}' brings it up")
    held, url = production.held, production.url or named_by(target)
    proof = await prove_process(onlooker, held, url, target.endpoint.host)
    if not proof.passed:
        return Attestation(target.name, False, f"{target.name}: {proof.evidence}", held.pid, url)
    url = await onlooker.reach(dialled(url, target.endpoint.host))
    adapter = ADAPTERS[target.adapter]
    report = await adapter.report(url, await onlooker.read_log(held))
    settings = tuple(
        Setting(flag, comparable, report.effective.get(flag))
        for flag, value in merged_flags(target, None).items()
        if (comparable := adapter.comparable(flag, value)) is not None
    )
    drift = (
        *differences(target, production.started_as),
        *missing_markers(target, report.log),
        *(
            f"{s.flag}: asked {s.wanted}, in force {s.effective}"
            for s in settings
            if s.effective not in (None, s.wanted)
        ),
    )
    said = f"; DRIFT: {'; '.join(drift)}" if drift else ", as its file describes it"
    sentence = f"{target.name} is up: pid {held.pid} answers at {url}{said}"
    return Attestation(target.name, not drift, sentence, held.pid, url, settings, drift)
