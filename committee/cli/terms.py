"""On which terms a command lets the bench take production: its users, stricter gates, a person's yes to code."""

from dataclasses import dataclass
from typing import Annotated

import typer

from harness.vocabulary.arm import Arm
from harness.workflow.detached import Terms
from harness.workflow.drain import Politeness, WhenBusy

WhenBusyOption = Annotated[WhenBusy, typer.Option(help="while users are on")]
UsersAcceptOption = Annotated[bool, typer.Option("--users-accept", help="users know; needed if nobody can count them")]
StricterOption = Annotated[bool, typer.Option("--stricter", help="gates may ask more than the baseline passed")]
ApproveOption = Annotated[str, typer.Option(help="your name: you have read the arms that are code")]


@dataclass(frozen=True)
class Given:
    """A person's words for one command."""

    when_busy: WhenBusy = WhenBusy.REFUSE
    users_accept: bool = False
    stricter: bool = False
    approve: str = ""

    @property
    def words(self) -> tuple[str, ...]:
        """What `harness measure` is told; it asks and refuses by them."""
        politeness = Politeness(self.when_busy, users_accept=self.users_accept)
        return Terms(politeness=politeness, stricter=self.stricter).words

    def approves(self, arm: Arm) -> str | None:
        """The person who said yes to an arm that is code; none for others."""
        return (self.approve or None) if arm.is_code else None


NOTHING_GIVEN = Given()
