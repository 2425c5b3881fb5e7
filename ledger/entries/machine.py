"""What a machine is, seen when a launch began on it: what was measured there rests on it."""

from typing import ClassVar

from pydantic import Field

from ledger.entries.base import Part, Payload, RunId


class MachineCard(Part):
    """One accelerator card."""

    number: int = Field(ge=0, description="its number by the driver, from 0")
    name: str | None = Field(description="its model as the driver names it, none where it does not say")
    uuid: str | None = Field(description="what tells it from another one of its model, none where it does not say")
    memory_mib: int | None = Field(description="its whole memory, MiB, none where it does not say")


class Machine(Payload):
    """Holds for the launches of its run from this entry on, up to the run's next one."""

    kind: ClassVar[str] = "machine"

    run: RunId = Field(description="the measuring run")
    target: str = Field(description="the target's name")
    launch: str = Field(description="the launch at whose beginning it was seen, the first one that it holds for")
    host: str = Field(description="the machine's own name for itself")
    kernel: str = Field(description="operating system and release")
    cpu: str = Field(description="the processor's model, empty where the machine does not say")
    cores: int = Field(ge=1, description="processors that the operating system shows")
    driver: str | None = Field(description="version of the cards' driver, none without one")
    cards: tuple[MachineCard, ...] = Field(description="its cards in the driver's order, empty without one")
    engine: str | None = Field(
        description="what production's engine says of its own build, read off a baseline; none where it did not say"
    )
