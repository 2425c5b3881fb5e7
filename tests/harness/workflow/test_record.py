"""The machine is on record before the first launch on it, and once more where it has become another one."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from harness.hosts.looking import MachineFacts, NamedCard
from harness.hosts.models import ModelSeen
from harness.workflow.launch_values import LaunchOutcome
from harness.workflow.record import record_launch
from ledger.entries import Launch, Machine, MachineCard, Model
from ledger.store import Ledger
from tests.ledger.examples import RUN, A, B, launch

FACTS = MachineFacts("bench", "Linux 6.1.0", "a processor", 8, "550.54.15", (NamedCard(0, "V100", "GPU-1", 32768),))


FILE = ModelSeen("/m/a.gguf", 5, "2026-11-01T00:00:00.000000000Z", "1:2", A, None)


def outcome(
    name: str, facts: MachineFacts | None, build: str | None, role: str = "baseline", models: Sequence[ModelSeen] = ()
) -> LaunchOutcome:
    """A launch that ended without numbers, which is enough here."""
    arm = A if role == "arm" else None
    given = launch().model_copy(
        update={"launch": name, "role": role, "arm": arm, "outcome": "invalid", "reason": "not_armed"}
    )
    return LaunchOutcome(given, (), None, (), "", 1.0, 2.0, machine=facts, models=tuple(models), build=build)


def test_the_same_machine_is_recorded_once_and_another_driver_again(tmp_path: Path) -> None:
    updated = replace(FACTS, driver="570.1")
    with Ledger.open(tmp_path / "records.db", actor="test", create=True) as ledger:
        for one in (
            outcome("a", None, None),  # it never came so far as to be looked at
            outcome("b", FACTS, "b1-1"),
            outcome("c", FACTS, "b2-2", role="arm"),  # an arm's own build is no change of production's engine
            outcome("d", FACTS, None),  # nothing said is nothing changed
            outcome("e", updated, "b1-1"),
            outcome("f", updated, "b3-3"),
        ):
            record_launch(ledger, one)
        kinds = [(entry.kind, getattr(entry.payload, "launch", "")) for entry in ledger.entries()]
        machines = [machine for _, machine in ledger.of(Machine, run=RUN)]
    assert kinds == [
        (Launch.kind, "a"),
        (Machine.kind, "b"),
        (Launch.kind, "b"),
        (Launch.kind, "c"),
        (Launch.kind, "d"),
        (Machine.kind, "e"),
        (Launch.kind, "e"),
        (Machine.kind, "f"),
        (Launch.kind, "f"),
    ]
    assert [(one.driver, one.engine) for one in machines] == [
        ("550.54.15", "b1-1"),
        ("570.1", "b1-1"),
        ("570.1", "b3-3"),
    ]
    assert machines[0].cards == (MachineCard(number=0, name="V100", uuid="GPU-1", memory_mib=32768),)
    assert (machines[0].host, machines[0].target, machines[0].cores) == ("bench", "local-llamacpp", 8)


def test_model_files_are_recorded_once_an_arm_and_again_where_they_changed(tmp_path: Path) -> None:
    other, changed = replace(FILE, path="/m/b.gguf"), replace(FILE, sample_sha256=B)
    with Ledger.open(tmp_path / "records.db", actor="test", create=True) as ledger:
        for one in (
            outcome("a", None, None, models=[FILE]),
            outcome("b", None, None, "placebo", models=[FILE]),
            outcome("c", None, None, "arm", models=[other]),
            outcome("d", None, None),  # nothing seen is nothing changed
            outcome("e", None, None, models=[changed]),
            outcome("f", None, None, "arm", models=[other]),
        ):
            record_launch(ledger, one)
        made = [model for _, model in ledger.of(Model, run=RUN)]
    assert [(one.launch, one.arm, one.files[0].name, one.files[0].sample_sha256) for one in made] == [
        ("a", None, "a.gguf", A),
        ("c", A, "b.gguf", A),
        ("e", None, "a.gguf", B),
    ]
