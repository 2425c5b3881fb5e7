"""What goes into one launch and what comes out of it: frozen values, no behaviour."""

import json
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from harness.gates.base import GateOutcome
from harness.hosts.looking import MachineFacts
from harness.hosts.models import ModelSeen
from harness.protocols.base import ProtocolOutcome
from harness.shortened import shortened
from harness.vocabulary.arm import Arm
from harness.vocabulary.outcome import Reason, Role
from ledger.entries import Launch

SHOWN = 240  # characters of an engine's words in one line for people; the launch entry holds them all


class Phase(StrEnum):
    """Where a launch is; told to whoever watches."""

    STARTING = "starting"
    READY = "ready"
    ARMED = "armed"
    LOADING = "loading"
    STOPPING = "stopping"
    FREE = "free"


@dataclass(frozen=True)
class LaunchEvent:
    """One step of one launch."""

    launch: str
    phase: Phase
    seconds: float  # since the launch began
    detail: str


@dataclass(frozen=True)
class LaunchRequest:
    """One slot of a plan. `launch` is also the name under which the server serves its model."""

    launch: str
    run: str
    block: int
    attempt: int
    position: int
    role: Role
    arm: Arm | None  # none for baseline and placebo
    prompt_seed: int  # the same for every launch of a block
    cwd: Path = field(default=Path())  # directory of the server; relative paths in the target's file start here
    wrapper: tuple[str, ...] = ()  # an instrument's command, in front of the server's; its numbers are nobody's


@dataclass(frozen=True)
class LaunchOutcome:
    """What one launch left behind. `launch.log` is none: the text of the log is here, to be stored as a blob."""

    launch: Launch
    gates: tuple[GateOutcome, ...]
    trial: ProtocolOutcome | None  # none when the protocol never ran
    texts: tuple[str, ...]  # temperature-0 texts, to be compared with the baseline's
    log_text: str
    started_at: float  # seconds since 1970
    stopped_at: float
    self_armed: tuple[str, ...] = ()  # baseline and placebo: fingerprints of arms whose witness is already true
    protocol: str = "ladder"  # the way it was loaded
    machine: MachineFacts | None = None  # none where it came to no armed gate
    models: tuple[ModelSeen, ...] = ()  # the files that it ran with, as far as they are known
    build: str | None = None  # the engine's own words about its version
    memory_returned: bool = True  # false: the machine did not count as free within the target's limit

    @property
    def pids(self) -> tuple[int, ...]:
        """The server's processes as the armed gate saw them; empty where it came to no armed gate."""
        kept = next((gate.seen for gate in self.gates if gate.seen), None)
        return tuple(one["pid"] for one in json.loads(kept)["host"]["processes"]) if kept else ()

    @property
    def usable(self) -> bool:
        """Whether the launch carries numbers."""
        return self.launch.outcome == "ran" and self.trial is not None and bool(self.trial.metrics)

    @property
    def reason(self) -> str | None:
        """The reason code that it ended in, the launch's or its trial's; none where it carries numbers."""
        if self.usable:
            return None
        trial = self.trial.reason.value if self.trial is not None and self.trial.reason is not None else None
        return self.launch.reason or trial or Reason.NO_PROOF.value

    @property
    def sentence(self) -> str:
        """How it ended, for people."""
        if self.usable:
            return "measured"
        if self.launch.reason is not None:
            return f"{self.launch.reason}: {shortened(self.launch.detail, SHOWN)}"
        if self.trial is not None and self.trial.reason is not None:
            return f"{self.trial.reason.value}: {shortened(self.trial.detail, SHOWN)}"
        return "no protocol ran on it"
