"""The `committee` command. A subcommand's module is loaded when it is typed: looking at the help loads no library."""

import typer

from harness.cli.speak import guarded_main
from harness.cli.subcommands import Entry, Subcommands
from harness.cli.version import VersionOption

COMMANDS: dict[str, Entry] = {
    "init": Entry(
        "committee.cli.workspaces",
        "Make a workspace: a git repository with committee.toml, proposals/, targets/ and kernels/.",
    ),
    "new": Entry(
        "committee.cli.workspaces",
        "Make the next numbered proposal from a template, or as a copy of a question that ships with this.",
    ),
    "check": Entry(
        "committee.cli.workspaces", "Everything that stands against submitting a proposal, before anything is paid."
    ),
    "pull": Entry(
        "committee.cli.pulling",
        "Fetch what the target's server really compiles, and its engine's flags, into the proposal.",
    ),
    "review": Entry("committee.cli.reviewing", "Ask every reviewer at once and write the brief."),
    "approve": Entry(
        "committee.cli.approving",
        "Read a reviewer's patch and say yes to it; it is put on the target's host and can then be measured.",
    ),
    "brief": Entry("committee.cli.reviewing", "Print the newest brief of a proposal, from the ledger."),
    "measure": Entry(
        "committee.cli.deciding",
        "Measure a proposal's arms: the author's and, if there is a brief of this revision, its reviewers'.",
    ),
    "rank": Entry("committee.cli.deciding", "The measured table of a proposal's newest run: the only order there is."),
    "accept": Entry(
        "committee.cli.deciding",
        "Accept an arm whose measurements meet the criteria; refused, with what is missing, otherwise.",
    ),
    "ticket": Entry(
        "committee.cli.ticket",
        "Show an acceptance's ticket and check it now; exit 1 where it has expired, with what changed.",
    ),
    "deploy": Entry(
        "committee.cli.deploy",
        "Put an acceptance on its target: kept through its gates and as attested, else the former baseline is back.",
    ),
    "watch": Entry(
        "committee.cli.watch",
        "Measure the accepted arm again against the baseline before it; exit 1 where that overturns the acceptance.",
    ),
    "rollback": Entry(
        "committee.cli.rollback",
        "Go back to the baseline before the acceptance in force: a decision of its own, a commit, and a deployment.",
    ),
    "park": Entry(
        "committee.cli.noting", "Record that something is not followed up, or not understood; nothing is guessed on."
    ),
    "decline": Entry("committee.cli.noting", "Record that a measured arm is known and deliberately not applied."),
    "run": Entry("committee.cli.running", "Review, brief, measure; then stop for the person."),
    "resume": Entry(
        "committee.cli.running", "Take a run up where it stands; finished answers and blocks are never done again."
    ),
    "costs": Entry("committee.cli.looking_back", "Tokens, time, served model and cost of every call to a reviewer."),
    "reviewers": Entry(
        "committee.cli.looking_back",
        "How each reviewer's predictions came out. By name: nothing here decides what is measured or accepted.",
    ),
    "replay": Entry(
        "committee.cli.looking_back",
        "Take a finished review run's stored answers through today's code, offline, and show what comes out otherwise.",
    ),
    "ask": Entry(
        "committee.cli.asking",
        "Answer from the record, newest first, marked where it does not stand or was measured before a change; "
        "1: none.",
    ),
    "import": Entry(
        "committee.cli.importing",
        "Bring in notes or another engine's results as history: imported, not measured here.",
    ),
    "imported": Entry(
        "committee.cli.importing", "What was imported, other engines' results, and numbers on which sources disagree."
    ),
    "invalidate": Entry(
        "committee.cli.standing", "Strike an entry or a fact; what rests on it is open again, and nothing is removed."
    ),
    "supersede": Entry(
        "committee.cli.standing", "Mark an entry as replaced; what rests on it is open again, and nothing is removed."
    ),
    "reopened": Entry(
        "committee.cli.standing",
        "Conclusions that are open again, why, and what measures or decides them anew; exit 1 if there are any.",
    ),
    "rests": Entry("committee.cli.standing", "What rests on an entry, through any number of others."),
    "as-of": Entry(
        "committee.cli.standing",
        "What was believed at a moment: accepted arms, newest verdicts, what was left alone, and doubts known by then.",
    ),
    "log": Entry("committee.cli.record", "Print the newest entries of the ledger."),
    "show": Entry("committee.cli.record", "Print one entry as JSON."),
    "verify": Entry("committee.cli.record", "Recompute the whole ledger and name everything that is wrong."),
    "anchor": Entry(
        "committee.cli.anchoring",
        "Pin the ledger's head and the root over all its entries in a git note, outside the ledger's own file.",
    ),
    "export": Entry(
        "committee.cli.anchoring",
        "Write one entry as a folder that proves itself: its bytes, blobs, proof, pins, and the program that checks.",
    ),
    "ledger": Entry(
        "committee.cli.ledger_work", "Refill tables, copy to another database, or withhold a leaked secret."
    ),
    "report": Entry(
        "committee.cli.reporting",
        "Write the page of lines and dated entries, or with --site a page for every proposal, target, setting and run.",
    ),
    "doctor": Entry(
        "committee.cli.examining", "Check libraries, programs, settings and the ledger; each line says what to do."
    ),
    "demo": Entry(
        "committee.cli.demonstrating",
        "Submit, review, measure, accept and verify the shipped example on a real llama.cpp server on this CPU.",
    ),
}


class FrontOffice(Subcommands):
    """The front office's subcommands."""

    table = COMMANDS


app = typer.Typer(
    cls=FrontOffice,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Reviewers propose, the harness disposes, the ledger remembers.",
)


@app.callback()
def group(version: VersionOption = False) -> None:
    """Nothing of its own: a group needs a function to hang its help on."""


def main() -> None:
    """Entry point of the console script."""
    guarded_main(lambda: app(prog_name="committee"))  # also where it was begun as a module
