"""An acceptance onto its target: what refuses it, the attempt on record before production is touched, and its end.

The bench does the work (`harness.workflow.deploy`). An attempt that was killed is found and given its end first.
"""

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from committee.accept.ticket import check, ticket_of
from committee.deploy.watching import mark_unmarked
from committee.workspace import Workspace
from harness.hosts.connection import GuardianError
from harness.lease import kept_for
from harness.vocabulary.base import BadFileError
from harness.vocabulary.target import Target
from harness.workflow.accepted_run import recorded_baseline
from harness.workflow.carrier import onlooker
from harness.workflow.deploy import (
    LEASE,
    Deployed,
    NewBaseline,
    NotDeployed,
    deploy,
    expected_away_s,
    runs_new,
    which_baseline,
)
from harness.workflow.drain import Politeness, users_gone
from harness.workflow.production import state_dir
from ledger.entries import Deployment, Launch, Ticket
from ledger.in_force import Decided, course_of
from ledger.store import Ledger

TRIES = 20  # to record an attempt's end after looking that it has none; whoever writes in between is a run


@dataclass(frozen=True)
class Wanted:
    """What is to be put on a target: an acceptance, or none for the baseline that a person wrote."""

    target: Target  # as its files say now
    decided: Decided | None
    ticket: Ticket | None
    person: str
    noted: str | None = None  # what was said against the ticket by one who goes back all the same

    @property
    def words(self) -> str:
        """What it is, in a sentence."""
        if self.decided is None:
            return "the baseline that a person wrote"
        return f"{self.decided[1].arm_name} (acceptance #{self.decided[0].seq})"


@dataclass(frozen=True)
class Attempt:
    """How an attempt ended."""

    ended: Deployment  # as it is on record
    up: bool  # production is known to be up, in either form


def wanted(workspace: Workspace, ledger: Ledger, target: str, person: str) -> Wanted:
    """What is in force on a target, to be put on it. Raises BadFileError."""
    decided = course_of(ledger, target).now
    ticket = ticket_of(ledger, decided[0].id) if decided else None
    return Wanted(workspace.target(target)[0], decided, ticket, person)


def expired(workspace: Workspace, ledger: Ledger, want: Wanted) -> str | None:
    """Why an acceptance may not be deployed, in one sentence; none while its ticket holds."""
    if want.decided is None:
        return None
    if want.ticket is None:
        return f"{want.words} has no ticket; accept the arm again"
    mark_unmarked(ledger, want.decided[0])
    checked = check(workspace, ledger, want.decided, want.ticket)
    if checked.holds:
        return None
    again = f"committee measure {want.decided[1].proposal} --arm {want.decided[1].arm_name}"
    return f"the ticket of {want.words} has expired: {'; '.join(checked.expired)}; measure again ({again}) or roll back"


def changed(workspace: Workspace, ledger: Ledger, want: Wanted) -> str | None:
    """Why what a person said yes to is not what is wanted now, in one sentence; none while it is."""
    name = want.target.name
    try:
        now = wanted(workspace, ledger, name, want.person)
    except BadFileError as error:
        return str(error)
    if (now.decided and now.decided[0].id) != (want.decided and want.decided[0].id):
        return f"{now.words} is in force on {name!r} by now, no longer {want.words}"
    if now.target != want.target:
        return f"the files of target {name!r} were changed meanwhile; give the command again to deploy them as they are"
    said = expired(workspace, ledger, now)
    return said if said != want.noted else None


def refuse(ledger: Ledger, want: Wanted, sentence: str) -> Deployment:
    """The refusal on record."""
    return _append(ledger, want, new_deployment_id(), "refused", sentence)


def away_s(ledger: Ledger, want: Wanted) -> float:
    """How long production is expected to be away, seconds."""
    acceptance = want.decided[1] if want.decided else None
    launches = ledger.of(Launch, run=acceptance.run) if acceptance else []
    seen = [one.ready_s for _, one in launches if acceptance and one.arm == acceptance.arm and one.ready_s]
    return expected_away_s(want.target, tuple(seen))


async def look(workspace: Workspace, want: Wanted) -> bool:
    """Whether production would be stopped: it runs, and not as it is wanted already. Raises GuardianError."""
    async with onlooker(state_dir(workspace.folder, want.target), want.target) as looking:
        production = await looking.production()
    return production.held is not None and not runs_new(want.target, production)


async def put(
    workspace: Workspace, ledger: Ledger, want: Wanted, polite: Politeness, tell: Callable[[str], None]
) -> Attempt:
    """Begin, deploy, and say how it ended. Raises LedgerError, with production up in either form.

    Users may have been waited for, and a person: what is wanted is looked at again once the target is leased.
    """
    place = state_dir(workspace.folder, want.target)
    if await look(workspace, want) and (kept := await users_gone(want.target, place, polite, tell)):
        return Attempt(refuse(ledger, want, kept.sentence), up=True)
    name, begun, ends = new_deployment_id(), False, list[Attempt]()

    async def may_begin() -> str | None:
        nonlocal begun
        if said := await asyncio.to_thread(changed, workspace, ledger, want):
            return said
        _append(ledger, want, name, "begun", f"{want.words} is to be put on {want.target.name}")
        begun = True
        tell(f"deployment {name} is begun")
        return None

    def end(outcome: Deployed | NotDeployed) -> None:  # still leased: nobody takes it for one that was killed
        ends.append(_end(ledger, want, name, outcome))

    recorded = recorded_baseline(ledger, want.target.name) if want.decided else None
    arm = want.decided[1].arm if want.decided else ""
    try:
        new = NewBaseline(name, want.target, workspace.folder, arm, recorded)
        outcome = await deploy(new, ledger, tell, may_begin, end)
    except GuardianError as error:
        if not ends:
            how, said = ("failed", f"{error}; {await _seen(workspace, want)}") if begun else ("refused", str(error))
            return Attempt(_append(ledger, want, name, how, said), up=False)
        return ends[0]
    return ends[0] if ends else _end(ledger, want, name, outcome)


async def settle(workspace: Workspace, ledger: Ledger, want: Wanted) -> Deployment | str | None:
    """Give an attempt that was killed its end, by what production runs now; none where none is open.

    One that somebody may be at stays open, and so does one whose production does not run, or is on probation still:
    the sentence says what comes first.
    """
    newest = ledger.of(Deployment, target=want.target.name)[-1:]
    if not newest or newest[0][1].outcome != "begun":
        return None
    begun, name, place = newest[0][1], want.target.name, state_dir(workspace.folder, want.target)
    async with onlooker(place, want.target) as looking:
        if said := kept_for(place, LEASE) or await looking.leased(LEASE):  # it began under both
            return f"deployment {begun.deployment} is under way: {said}"
        if _end_of(ledger, begun.deployment) is not None:  # recorded under the lease, before this look at it
            return None
        production = await looking.production()
    if production.held is None or production.former is not None:
        return (
            f"deployment {begun.deployment} did not end and production of {name!r} is not up as it should be; "
            f"run 'harness restore {name}' first"
        )
    same = begun.acceptance == (want.decided[0].id if want.decided else None)
    done = same and runs_new(want.target, production)
    said = await which_baseline(workspace.folder, want.target)
    outcome = "deployed" if done else "failed"
    ended = begun.model_copy(update={"outcome": outcome, "detail": f"it was interrupted; {said}"})
    return _recorded(ledger, ended)


def new_deployment_id() -> str:
    """A fresh id: date, time and eight random hexadecimal digits."""
    return f"deploy-{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(4)}"


async def _seen(workspace: Workspace, want: Wanted) -> str:
    """Which baseline production runs, in words, also where that cannot be seen."""
    try:
        return await which_baseline(workspace.folder, want.target)
    except GuardianError:
        return f"which baseline runs cannot be seen now; 'harness restore {want.target.name}' says it later"


def _end(ledger: Ledger, want: Wanted, name: str, outcome: Deployed | NotDeployed) -> Attempt:
    """The end on record, as the bench tells it."""
    if isinstance(outcome, Deployed):
        return Attempt(_append(ledger, want, name, "deployed", outcome.sentence, outcome.away_s), up=True)
    how = "failed" if outcome.touched else "refused"
    return Attempt(_append(ledger, want, name, how, outcome.sentence, outcome.away_s), outcome.up)


def _append(
    ledger: Ledger, want: Wanted, name: str, outcome: str, detail: str, away: float | None = None
) -> Deployment:
    made = Deployment.model_validate(
        {
            "deployment": name,
            "target": want.target.name,
            "acceptance": want.decided[0].id if want.decided else None,
            "ticket": want.ticket.sha256 if want.ticket else None,
            "outcome": outcome,
            "detail": detail,
            "away_s": away,
            "person": want.person,
        }
    )
    return _recorded(ledger, made)


def _recorded(ledger: Ledger, made: Deployment) -> Deployment:
    """It on record; where its attempt was given its end by somebody else meanwhile, that end: it has one only."""
    for _ in range(TRIES):
        head = ledger.head()
        if (has := _end_of(ledger, made.deployment)) is not None:
            return has
        if ledger.append_after(head.seq if head else 0, (made,)):
            return made
    ledger.append(made)  # two ends do less harm than none
    return made


def _end_of(ledger: Ledger, deployment: str) -> Deployment | None:
    found = [one for _, one in ledger.of(Deployment, deployment=deployment) if one.outcome != "begun"]
    return found[0] if found else None
