"""`committee doctor`: can this machine run the whole loop, and is the workspace whole?"""

import os
import shutil
from importlib.util import find_spec
from typing import Annotated

import typer

from committee.cli.reach import no_connection
from committee.cli.seats import seat_checks
from committee.cli.workspaces import WorkspaceOption
from committee.vocabulary.config import read_config
from committee.workspace import Workspace
from harness.cli.doctor import CHECKS, Check
from harness.cli.place import Place
from harness.cli.speak import GOOD, NEGATIVE, print_json, say
from harness.vocabulary.base import BadFileError
from ledger.extras import install
from ledger.store import LedgerError

commands = typer.Typer(add_completion=False)

NEEDED = ("langgraph", "openai", "jinja2", "git", "detect_secrets", "altair", "vl_convert")


@commands.command("doctor")
def doctor(
    workspace: WorkspaceOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="as JSON")] = False,
) -> None:
    """Check libraries, programs, settings and the ledger; each line says what to do."""
    results = [check() for check in CHECKS]
    results += [_library(name) for name in NEEDED]
    results.append(("git", shutil.which("git") is not None, shutil.which("git") or "install git"))
    results += _workspace(workspace)
    if as_json:
        print_json([{"check": name, "good": good, "detail": detail} for name, good, detail in results])
    else:
        for name, good, detail in results:
            say(f"{'good' if good else 'LOOK':4}  {name}: {detail}")
    raise typer.Exit(GOOD if all(good for _, good, _ in results) else NEGATIVE)


def _library(name: str) -> Check:
    there = find_spec(name) is not None
    return f"library {name}", there, "installed" if there else install("review")


def _workspace(workspace: WorkspaceOption) -> list[Check]:
    try:
        place = Workspace.find(workspace)
        config = read_config(place.config_path)
        seats = ", ".join(f"{seat.name} ({seat.shown_as})" for seat in config.reviewer)
    except BadFileError as error:
        return [("workspace", False, str(error))]
    found: list[Check] = [("workspace", True, str(place.folder)), ("reviewers", True, seats)]
    found += seat_checks(config, os.environ, shutil.which("bwrap"), no_connection)
    found += _targets(place)
    try:
        if place.records.there():
            result = place.records.verify()
            found.append(("ledger", result.ok, f"{result.entries} entries, {len(result.findings)} findings"))
    except (LedgerError, BadFileError) as error:
        found.append(("ledger", False, str(error)))
    return found


def _targets(place: Workspace) -> list[Check]:
    """One line where targets cannot be used; why is `harness doctor`'s to say."""
    known, bad = Place.find(place.folder).all_targets()
    if not bad:
        return []
    count, every = len(bad), len(known) + len(bad)
    return [("targets", False, f"{count} of {every} cannot be used yet; `harness doctor` says which and why")]
