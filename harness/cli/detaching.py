"""Saying where a detached run is and how to look at it."""

import typer

from harness.cli.place import Place
from harness.cli.speak import GOOD, fail, print_json_line, run_interruptible, say
from harness.hosts.ssh_link import SshLink
from harness.workflow.detached import NotDetached, Terms, detach
from harness.workflow.far_run import FarFailed, Open, begin
from harness.workflow.order import Order
from harness.workflow.run_files import RunFiles


def detach_run(place: Place, order: Order, terms: Terms, opened: Open = SshLink.open, *, as_json: bool) -> None:
    """Start the run unattended on its target's machine; say its id and how to look."""
    files = RunFiles.of(place.folder, order.run)
    if order.target.host is not None:
        sent = run_interruptible(begin(place.folder, order, terms, opened), lambda: _stopped(files, order.run))
        if isinstance(sent, FarFailed):
            raise fail(sent.sentence)
        pid, where = sent["pid"], f" on {order.target.host.ssh}"
    else:
        outcome = detach(place.folder, order, terms)
        if isinstance(outcome, NotDetached):
            raise fail(outcome.sentence)
        pid, where = outcome.pid, ""
    if as_json:
        print_json_line({"run": order.run, "pid": pid, "order": str(files.order), "events": str(files.events)})
        raise typer.Exit(GOOD)
    say(f"Run {order.run} goes on without you, pid {pid}{where}; this terminal may be closed.")
    for word, what in (
        ("status", "how it is getting on"),
        ("attach", "watch it live; Ctrl-C leaves it alone"),
        ("fetch", "what it has recorded"),
        ("stop", "finish the block, then production comes back; with --now at once"),
    ):
        say(f"  harness {word} {order.run}   {what}")


def _stopped(files: RunFiles, run: str) -> str:
    """What a person who stopped the sending is told: `status` knows a run from the moment its place is noted."""
    if files.far.exists():
        return f"stopped; look with 'harness status {run}'"
    return "stopped before the order was sent; nothing was begun there"
