"""On which terms a command lets the bench take production: its users, stricter gates, a person's yes to code."""

from dataclasses import dataclass
from typing import Annotated

import typer

from harness.vocabulary.arm import Arm
from harness.workflow.detached import Terms
from harness.workflow.drain import DRAIN_LIMIT_S, Politeness, WhenBusy

WhenBusyOption = Annotated[WhenBusy, typer.Option(help="while users are on")]
DrainLimitOption = Annotated[float, typer.Option(min=1, max=86400, help="seconds that a drain may take")]
UsersAcceptOption = Annotated[bool, typer.Option("--users-accept", help="users know; needed if nobody can count them")]
StricterOption = Annotated[bool, typer.Option("--stricter", help="gates may ask more than the baseline passed")]
YesOption = Annotated[bool, typer.Option("--yes", help="production may be taken down for the time shown")]
ApproveOption = Annotated[str, typer.Option(help="your name: you have read the arms that are code")]


@dataclass(frozen=True)
class Given:
    """A person's words for one command."""

    when_busy: WhenBusy = WhenBusy.REFUSE
    users_accept: bool = False
    stricter: bool = False
    approve: str = ""
    drain_limit_s: float = DRAIN_LIMIT_S
    yes: bool = False  # production may be taken down for the time shown

    @property
    def terms(self) -> Terms:
        """What the bench asks and refuses by."""
        return Terms(
            politeness=Politeness(self.when_busy, self.drain_limit_s, self.users_accept), stricter=self.stricter
        )

    @property
    def words(self) -> tuple[str, ...]:
        """The same on a command line, for a person to give once more; the yes is asked for anew."""
        return self.terms.words

    @property
    def told(self) -> tuple[str, ...]:
        """What `harness measure` is told. Without a yes it takes no production down."""
        return (*self.words, "--yes") if self.yes else self.words

    def approves(self, arm: Arm) -> str | None:
        """The person who said yes to an arm that is code; none for others."""
        return (self.approve or None) if arm.is_code else None


NOTHING_GIVEN = Given()
