"""`committee log|show|verify`: reading the ledger. Nothing here writes to it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Annotated

import typer

from committee.accept.pins import pinned_heads
from committee.accept.signature import seal_of
from committee.cli.naming import entry_named
from committee.cli.origin import LABEL, simulated_runs
from committee.workspace import Workspace
from harness.cli.speak import GOOD, NEGATIVE, fail, print_json, say
from harness.cli.terminal import aligned
from harness.vocabulary.base import BadFileError
from ledger.entries import SCHEMAS, Acceptance, Rollback, Verdict
from ledger.findings import Finding, FindingKind
from ledger.store import Entry, Ledger

commands = typer.Typer(add_completion=False)

WorkspaceOption = Annotated[Path | None, typer.Option(help="the workspace; default: the one you are in")]
JsonOption = Annotated[bool, typer.Option("--json", help="as JSON")]
SHORT = 12  # hexadecimal digits of an id that are shown
SEALED = (Acceptance.kind, Rollback.kind)  # a commit pins them, signed if git is set up so
NO_SEALS: Mapping[str, str] = MappingProxyType({})
KINDS = ", ".join(sorted({kind for kind, _ in SCHEMAS}))


@commands.command("log")
def log(
    workspace: WorkspaceOption = None,
    kind: Annotated[list[str] | None, typer.Option(help="only these kinds; repeat for more")] = None,
    last: Annotated[int, typer.Option(min=1, help="how many entries, newest last")] = 40,
    as_json: JsonOption = False,
) -> None:
    """Print the newest entries of the ledger."""
    unknown = sorted(set(kind or ()) - {known for known, _ in SCHEMAS})
    if unknown:
        raise fail(f"no entries of kind {unknown[0]!r}; there is: {KINDS}", 2)
    place = Workspace.find(workspace).folder
    with open_ledger(workspace) as ledger:
        entries = list(ledger.entries(*(kind or ())))[-last:]
        runs = {one.id: one.payload.run for one in entries if isinstance(one.payload, Verdict)}
        made_up = simulated_runs(ledger, {*runs.values()}) if runs and not as_json else frozenset[str]()
    if as_json:
        print_json([as_value(entry) for entry in entries])
        return
    labels = {node: LABEL for node, run in runs.items() if run in made_up}
    seals = {one.id: seal.words for one in entries if one.kind in SEALED and (seal := seal_of(place, one))}
    seals |= labels
    for line in log_lines(entries, seals):
        say(line)


@commands.command("show")
def show(
    entry: Annotated[str, typer.Argument(help="sequence number, or the beginning of an id or of a run's id")],
    workspace: WorkspaceOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="as JSON, which it always is")] = True,
) -> None:
    """Print one entry as JSON."""
    del as_json
    with open_ledger(workspace) as ledger:
        found = entry_named(ledger, entry)
        seal = seal_of(Workspace.find(workspace).folder, found) if found.kind in SEALED else None
        print_json(as_value(found) | ({"commit": seal.as_json()} if seal else {}))


@commands.command("verify")
def verify(workspace: WorkspaceOption = None, as_json: JsonOption = False) -> None:
    """Recompute the whole ledger and name everything that is wrong."""
    place = Workspace.find(workspace)
    unread: tuple[Finding, ...] = ()
    try:
        pinned = pinned_heads(place.folder)
    except BadFileError as error:
        pinned, unread = (), (Finding(FindingKind.UNREAD_PINS, "git", str(error)),)
    result = place.records.verify(pinned)
    result = replace(result, findings=(*unread, *result.findings))
    if as_json:
        print_json(
            {
                "ok": result.ok,
                "entries": result.entries,
                "blobs": result.blobs,
                "findings": [{"what": f.what, "where": f.where, "sentence": f.sentence} for f in result.findings],
            }
        )
    else:
        for finding in result.findings:
            say(f"{finding.what}: {finding.sentence}")
        head = f"head {result.head.id[:SHORT]} at {result.head.seq}" if result.head else "empty"
        state = "whole" if result.ok else "NOT whole"
        pins = "heads pinned in git not seen" if unread else f"{len(pinned)} heads pinned in git"
        say(f"ledger {state}: {result.entries} entries, {result.blobs} blobs, {head}, {pins}")
    raise typer.Exit(GOOD if result.ok else NEGATIVE)


def open_ledger(workspace: Path | None) -> Ledger:
    """The workspace's ledger. Raises LedgerError or BadFileError with one sentence."""
    return Workspace.find(workspace).ledger()


def as_value(entry: Entry) -> dict[str, object]:
    """An entry as plain values."""
    return {
        "seq": entry.seq,
        "id": entry.id,
        "time": entry.time,
        "actor": entry.actor,
        "kind": entry.kind,
        "version": entry.version,
        "previous": entry.previous,
        "payload": entry.payload.as_json(),
    }


def log_lines(entries: Sequence[Entry], seals: Mapping[str, str] = NO_SEALS) -> Iterator[str]:
    """One line an entry; a run's id stands whole, because other commands take it. `seals`: commits by entry's id."""
    rows = (_log_row(entry, seals.get(entry.id, "")) for entry in entries)
    return aligned(("seq", "time", "kind", "run", "id", "what"), rows)


def _log_row(entry: Entry, seal: str) -> tuple[str, ...]:
    run = str(entry.payload.as_json().get("run") or "")
    what = f"{gist(entry)}; {seal}" if seal else gist(entry)
    return str(entry.seq), entry.time[:19], entry.kind, run, entry.id[:SHORT], what


def gist(entry: Entry) -> str:
    """The few words of an entry that a person looks for."""
    if isinstance(entry.payload, Verdict):
        return _of_verdict(entry.payload)
    value = entry.payload.as_json()
    wanted = (
        "arm_name",
        "name",
        "reviewer",
        "gate",
        "state",
        "outcome",
        "passed",
        "validity",
        "speed",
        "reason",
        "title",
    )
    words = [str(value[key]) for key in wanted if value.get(key) is not None]
    return " ".join(words)[:70]


def _of_verdict(verdict: Verdict) -> str:
    """Its words, its number with its bounds, and of what: without metric and load two verdicts look alike."""
    words = " ".join(one for one in (verdict.arm_name, verdict.validity, verdict.speed) if one)
    interval = verdict.interval
    change = (
        f" {interval.estimate_pct:+.1f} % ({interval.low_pct:+.1f} to {interval.high_pct:+.1f})" if interval else ""
    )
    users = f"{verdict.load} user{'s' if verdict.load > 1 else ''}"
    return f"{words}{change}, {verdict.metric} at {users}{', primary' if verdict.primary else ''}"
