"""`committee invalidate|supersede|reopened|rests|as-of`: what stands, what is open again, what was believed when."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Annotated, Any

import typer

from committee.cli.origin import LABEL, simulated_runs
from committee.cli.workspaces import WorkspaceOption
from committee.workspace import Workspace
from harness.cli.speak import GOOD, NEGATIVE, print_json, say
from harness.vocabulary.base import BadFileError
from ledger.asking import MOST
from ledger.belief import Belief, Held, believed
from ledger.entries import Acceptance, Brief, Invalidation, KernelVerdict, NotApplied, Supersession, Verdict
from ledger.standing import CONCLUSIONS, all_resting_on, conclusions_on, doubts, with_fact
from ledger.store import Entry, Ledger

commands = typer.Typer(add_completion=False)
# Fields by which a person knows an entry again, in this order; kinds have some of them.
TELLING = ("target", "proposal", "run", "reviewer", "arm_name", "name", "title", "block", "state", "outcome", "reason")

Id = Annotated[str, typer.Argument(help="an entry: its number, or the beginning of its id")]
Reason = Annotated[str, typer.Option(help="why, in your own words")]
Person = Annotated[str | None, typer.Option(help="who decides; default: you on this machine")]
Json = Annotated[bool, typer.Option("--json", help="as JSON")]


@commands.command("invalidate")
def invalidate(
    reason: Reason,
    entry: Annotated[str | None, typer.Argument(help="an entry: its number, or the beginning of its id")] = None,
    fact: Annotated[str | None, typer.Option(help="instead: what runs share, as harness_version=0.1.0")] = None,
    person: Person = None,
    workspace: WorkspaceOption = None,
) -> None:
    """Strike an entry or a fact; what rests on it is open again, and nothing is removed."""
    said = _words(reason)
    if (entry is None) == (fact is None):
        raise BadFileError("name either an entry or a --fact to strike")
    with Workspace.find(workspace).ledger() as ledger:
        if fact is not None and not with_fact(ledger, fact):
            say(f"no run on record has {fact} yet; one that comes with it will be struck as well", style="yellow")
        struck = ledger.find(entry) if entry is not None else None
        subject = struck.id if struck else None
        made = ledger.append(Invalidation(subject=subject, fact=fact, reason=said, person=person or ledger.actor))
        what = f"#{struck.seq} {brief_of(struck)}" if struck else f"what has {fact}"
        say(f"struck {what}; {_back(made)}")
        _tell(ledger)


@commands.command("supersede")
def supersede(
    entry: Id,
    reason: Reason,
    by: Annotated[str | None, typer.Option(help="the entry that replaces it, if there is one")] = None,
    person: Person = None,
    workspace: WorkspaceOption = None,
) -> None:
    """Mark an entry as replaced; what rests on it is open again, and nothing is removed."""
    said = _words(reason)
    with Workspace.find(workspace).ledger() as ledger:
        subject, later = ledger.find(entry), ledger.find(by) if by else None
        if later is not None and later.seq <= subject.seq:
            raise BadFileError(f"entry #{later.seq} is not later than #{subject.seq}, so it cannot replace it")
        made = ledger.append(
            Supersession(subject=subject.id, by=later.id if later else None, reason=said, person=person or ledger.actor)
        )
        say(f"marked as replaced: #{subject.seq} {brief_of(subject)}; {_back(made)}")
        _tell(ledger)


@commands.command("reopened")
def reopened(workspace: WorkspaceOption = None, as_json: Json = False) -> None:
    """Conclusions that are open again, why, and what measures or decides them anew; exit 1 if there are any."""
    with Workspace.find(workspace).ledger() as ledger:
        found = _open(ledger)
        made_up = _made_up(ledger, found)
        if as_json:
            print_json([_plain(one) for one in found])
        else:
            for one in found:
                say(f"#{one.entry.seq} {one.words}{made_up.get(one.entry.seq, '')}")
                say(f"    {one.doubts[-1].words}")
                say(f"    {_again(one.entry)}")
            if not found:
                say("Nothing is open again.")
    raise typer.Exit(NEGATIVE if found else GOOD)


@commands.command("rests")
def rests(
    entry: Id,
    conclusions: Annotated[
        bool, typer.Option("--conclusions", help="only verdicts, decisions and briefs, among the nearest thousand")
    ] = False,
    workspace: WorkspaceOption = None,
    as_json: Json = False,
) -> None:
    """What rests on an entry, through any number of others."""
    with Workspace.find(workspace).ledger() as ledger:
        start = ledger.find(entry)
        found = conclusions_on(ledger, start, most=MOST) if conclusions else all_resting_on(ledger, start)
    if as_json:
        print_json([{"seq": one.seq, "id": one.id, "kind": one.kind, "time": one.time} for one in found])
        return
    for one in found:
        say(f"#{one.seq} {one.kind} {one.time} {one.id[:12]}")
    if not found:
        say("Nothing rests on it.")


@commands.command("as-of")
def as_of(
    when: Annotated[str, typer.Argument(help="a day (2026-11-29, to its end) or a time (2026-11-29T12:00:00Z)")],
    workspace: WorkspaceOption = None,
    as_json: Json = False,
) -> None:
    """What was believed at a moment: accepted arms, newest verdicts, what was left alone, and doubts known by then."""
    with Workspace.find(workspace).ledger() as ledger:
        belief = believed(ledger, _moment(when))
        made_up = _made_up(ledger, (*belief.accepted, *belief.measured, *belief.left_alone))
    if as_json:
        print_json(
            {name: [_plain(one) for one in getattr(belief, name)] for name in ("accepted", "measured", "left_alone")}
        )
        return
    _show(belief, made_up)


def _show(belief: Belief, made_up: Mapping[int, str]) -> None:
    for title, held in (
        ("Accepted", belief.accepted),
        ("Measured", belief.measured),
        ("Left alone", belief.left_alone),
    ):
        say(f"{title}:{'' if held else ' nothing'}", style="bold")
        for one in held:
            say(f"  #{one.entry.seq} {one.words}{made_up.get(one.entry.seq, '')}")
            for doubt in one.doubts:
                say(f"      {doubt.words}", style="yellow")


def _made_up(ledger: Ledger, held: Sequence[Held]) -> dict[int, str]:
    """By number what is added to conclusions that rest on a run of a simulated server."""
    runs = {
        one.entry.seq: one.entry.payload.run
        for one in held
        if isinstance(one.entry.payload, Acceptance | NotApplied | Verdict) and one.entry.payload.run
    }
    found = simulated_runs(ledger, {*runs.values()})
    return {seq: f"; {LABEL}" for seq, run in runs.items() if run in found}


def _moment(said: str) -> str:
    """A time as entries have it; a day means its last microsecond. Raises BadFileError."""
    try:
        if len(said) <= len("2026-11-29"):
            return f"{date.fromisoformat(said).isoformat()}T23:59:59.999999Z"
        moment = datetime.fromisoformat(said)
    except ValueError as error:
        raise BadFileError(f"{said!r} is no day or time; write 2026-11-29 or 2026-11-29T12:00:00Z") from error
    if moment.tzinfo is None:
        raise BadFileError(f"{said!r} has no time zone; end it with Z for UTC")
    try:
        return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    except OverflowError as error:
        raise BadFileError(f"{said!r} lies outside the calendar") from error


def _open(ledger: Ledger) -> list[Held]:
    """Conclusions with a standing doubt, oldest first."""
    found = [
        Held(ledger.find(node), "", said)
        for node, said in doubts(ledger).items()
        if not all(one.struck for one in said)
    ]
    conclusions = [one for one in found if isinstance(one.entry.payload, CONCLUSIONS)]
    return [
        Held(one.entry, _named(one.entry), one.doubts) for one in sorted(conclusions, key=lambda one: one.entry.seq)
    ]


def _named(entry: Entry) -> str:
    payload = entry.payload
    if isinstance(payload, Verdict):
        speed = payload.speed or payload.validity
        users = f"{payload.load} user{'s' if payload.load > 1 else ''}"
        return f"verdict {speed} on {payload.arm_name} of {payload.target}, {payload.metric} at {users}"
    if isinstance(payload, Acceptance):
        return f"acceptance of {payload.arm_name} on {payload.target}"
    if isinstance(payload, NotApplied):
        return f"{payload.arm_name} of {payload.target}, recorded as not applied"
    if isinstance(payload, KernelVerdict):
        at = f" at {payload.shape}" if payload.shape else ""
        return f"kernel verdict {payload.speed or payload.validity} on {payload.arm_name} of {payload.task}{at}"
    return f"brief of {payload.proposal}" if isinstance(payload, Brief) else entry.kind


def brief_of(entry: Entry) -> str:
    """An entry in a few words: its conclusion, or its kind with the names in it."""
    if isinstance(entry.payload, CONCLUSIONS):
        return _named(entry)
    said = entry.payload.as_json()
    names = [str(said[name]) for name in TELLING if isinstance(said.get(name), str | int) and str(said[name])]
    return " ".join([entry.kind, *names])


def _back(made: Entry) -> str:
    return f'take it back with `committee invalidate {made.seq} --reason "..."`'


def _again(entry: Entry) -> str:
    """What decides it anew."""
    payload = entry.payload
    if isinstance(payload, Brief):
        return f"review again: committee review {payload.proposal}"
    if isinstance(payload, Acceptance):
        return f"measure and decide again: committee measure {payload.proposal} --arm {payload.arm_name}"
    if isinstance(payload, KernelVerdict):
        return f"time it again: harness kernel compare {payload.task}"
    if isinstance(payload, Verdict | NotApplied):
        return f"measure again: arm {payload.arm_name} on {payload.target}"
    return ""


def _tell(ledger: Ledger) -> None:
    count = len(_open(ledger))
    say(f"recorded; {count} conclusion{'s are' if count != 1 else ' is'} open again (`committee reopened` lists them)")


def _plain(one: Held) -> dict[str, Any]:
    return {
        "seq": one.entry.seq,
        "id": one.entry.id,
        "kind": one.entry.kind,
        "time": one.entry.time,
        "words": one.words,
        "doubts": [doubt.words for doubt in one.doubts],
    }


def _words(said: str) -> str:
    if not said.strip():
        raise BadFileError("an entry needs words a person can understand later; give them in quotes")
    return " ".join(said.split())
