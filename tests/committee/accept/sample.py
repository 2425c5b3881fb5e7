"""A workspace whose one arm was measured: entries as a measuring run writes them, without a server."""

import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from committee.making import init, new
from committee.proposals.folder import load
from committee.proposals.revision import freeze
from committee.workspace import Workspace
from harness.vocabulary.arm import Arm
from ledger.canonical import sha256_hex
from ledger.entries import Arm as ArmEntry
from ledger.entries import Gate, Interval, Launch, MeasuringRun, Payload, RunEnd, Verdict
from ledger.store import Ledger

CRITERIA = """schema = 1
blocks = 2
level = 0.05
primary = { metric = "total_tok_s", load = 4, smallest_effect_pct = 10 }
numerics = { policy = "identical" }
ladder = { steps = [1, 4, 1], tokens = 64 }
"""
FOUR = Arm.model_validate({"schema": 1, "name": "four-slots", "flags": {"n_parallel": 4}})
Q8 = Arm.model_validate({"schema": 1, "name": "kv-q8", "flags": {"cache-type-k": "q8_0"}})


@dataclass(frozen=True)
class Bench:
    """A workspace with a proposal, and its ledger."""

    workspace: Workspace
    ledger: Ledger
    folder: Path
    target: str = "local-llamacpp"

    def git(self, *words: str) -> str:
        """What git itself prints in the workspace."""
        ran = subprocess.run(
            ["git", "-C", str(self.workspace.folder), *words], capture_output=True, text=True, check=True
        )
        return ran.stdout.strip()

    def trailers(self) -> list[str]:
        """The newest commit's trailers, as git reads them."""
        return self.git("log", "-1", "--format=%(trailers:only,unfold)").split("\n")

    def measure(
        self,
        run: str,
        arm: Arm = FOUR,
        outcome: str = "completed",
        override: dict[str, Any] | None = None,
        first: tuple[Payload, ...] = (),
        **verdict: Any,
    ) -> None:
        """What a run of that arm leaves behind; `override` changes the criteria measured, `verdict` the one verdict.

        What is `first` stands between plan and launches. The verdict stands on all blocks unless `verdict` says others.
        """
        loaded, frozen = load(self.folder), freeze(self.folder)
        criteria = loaded.criteria.model_dump(mode="json", by_alias=True) | (override or {})
        read, target_sha256 = self.workspace.target(self.target)
        plan = MeasuringRun(
            run=run,
            target=self.target,
            target_sha256=target_sha256,
            target_model_sha256=sha256_hex(read.model_dump_json(by_alias=True).encode()),
            proposal=loaded.header.id,
            tree=frozen.tree,
            criteria=criteria,
            arms=(arm.fingerprint,),
            seed=1,
            blocks=criteria["blocks"] + _passes(criteria),
            screen_blocks=_passes(criteria),
            slots=(),
            downtime_s=1,
            harness_version="test",
        )
        gates = tuple(gate.value for gate in loaded.criteria.gates)
        said = {"target": self.target, "blocks": criteria["blocks"]} | verdict
        launches = [payload for block in range(plan.blocks) for payload in _launch(plan, arm, block, gates)]
        verdicts: list[Payload] = [_verdict(run, arm, said)] if outcome == "completed" else []
        end = RunEnd.model_validate(
            {"run": run, "outcome": outcome, "reason": None, "detail": "a sentence", "downtime_s": 1}
        )
        self.ledger.append_all([plan, _admitted(plan, arm), *first, *launches, *verdicts, end])


def make_bench(parent: Path) -> Bench:
    """A workspace with one proposal and an empty ledger."""
    workspace = init(parent / "w")
    folder = new(workspace, "slots", "config")
    (folder / "criteria.toml").write_text(CRITERIA)
    return Bench(workspace, workspace.ledger(actor="test"), folder)


def _passes(criteria: dict[str, Any]) -> int:
    """Blocks of the screen."""
    return int((criteria.get("screen") or {}).get("passes", 0))


def _admitted(plan: MeasuringRun, arm: Arm) -> ArmEntry:
    return ArmEntry(
        fingerprint=arm.fingerprint,
        name=arm.name,
        target=plan.target,
        proposal=plan.proposal,
        definition=arm.model_dump(mode="json", by_alias=True),
        origins=("author",),
    )


def _launch(plan: MeasuringRun, arm: Arm, block: int, checked: tuple[str, ...]) -> list[Payload]:
    run, name = plan.run, f"{plan.run}/{block}"
    launch = Launch(
        launch=name,
        run=run,
        target=plan.target,
        block=block,
        attempt=1,
        position=0,
        role="arm",
        arm=arm.fingerprint,
        argv=("serve",),
        env=(),
        pid=1,
        start_time=1,
        ready_s=1,
        log=None,
        outcome="ran",
        reason=None,
        detail="",
    )
    gates = [Gate(launch=name, run=run, gate=gate, passed=True, reason=None, evidence="seen") for gate in checked]
    return [launch, *gates]


def _verdict(run: str, arm: Arm, changed: dict[str, Any]) -> Verdict:
    fields: dict[str, Any] = {
        "run": run,
        "arm": arm.fingerprint,
        "arm_name": arm.name,
        "metric": "total_tok_s",
        "load": 4,
        "primary": True,
        "validity": "VALID",
        "reasons": (),
        "speed": "FASTER",
        "numerics": "IDENTICAL",
        "interval": Interval(
            estimate_pct=40, low_pct=30, high_pct=50, level=0.05, launch_sd_pct=3, degrees_of_freedom=4, pooled=True
        ),
        "smallest_effect_pct": 10,
        "placebo_low_pct": -1,
        "placebo_high_pct": 1,
        "visible_effect_pct": 5,
        "more_blocks": None,
        "more_server_minutes": None,
        "trials": (),
    }
    return Verdict.model_validate({**fields, **changed})
