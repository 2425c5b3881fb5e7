"""The far side of `measure --detach`: puts an order and its target into the workspace there and detaches the run.

Run by the ssh login as `python -m harness.workflow.receive`: one JSON object in, one line of JSON out.
"""

import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from harness import __version__
from harness.own_files import write_own
from harness.vocabulary.base import BadFileError, complaints
from harness.workflow.detached import NotDetached, Terms, detach, under_way
from harness.workflow.drain import Politeness, WhenBusy
from harness.workflow.night import Hours
from harness.workflow.order import Order
from harness.workflow.run_files import WORKSPACE, RunFiles


@dataclass(frozen=True)
class Parcel:
    """Everything that goes over."""

    version: str
    folder: str  # below the login's home, where the guardian's files are too
    files: dict[str, str]  # name in `targets/` -> text; the target as the other machine itself sees it
    order: str  # JSON
    window: str
    once: bool
    drain: bool
    limit_s: float
    users_accept: bool
    take_over: bool
    stricter: bool = False

    def to_json(self) -> bytes:
        """As it is sent."""
        return json.dumps(asdict(self)).encode()


def packed(order: Order, files: dict[str, str], folder: str, terms: Terms) -> Parcel:
    """What is sent for an order; there the target is on its own machine."""
    own = order.model_copy(update={"target": order.target.model_copy(update={"host": None})})
    polite = terms.politeness
    return Parcel(
        version=__version__,
        folder=folder,
        files=files,
        order=own.to_json(),
        window=str(terms.hours.window or ""),
        once=terms.hours.once,
        drain=polite.when_busy is WhenBusy.DRAIN,
        limit_s=polite.limit_s,
        users_accept=polite.users_accept,
        take_over=terms.take_over,
        stricter=terms.stricter,
    )


def receive(parcel: Parcel, home: Path) -> dict[str, Any]:
    """Put it down and begin; run, pid and workspace, or an error's sentence.

    `under_way` beside the error: the run goes on there all the same.
    """
    if parcel.version != __version__:
        return {"error": f"the harness there is {__version__}, this one {parcel.version}; install the same there"}
    folder = home / parcel.folder
    workspace = folder / WORKSPACE
    (workspace / "targets").mkdir(parents=True, exist_ok=True)
    (workspace / ".committee").mkdir(exist_ok=True)
    (folder / "targets").mkdir(exist_ok=True)
    shared = workspace / ".committee" / "targets"  # the guardian that `harness start` over ssh uses is this very one
    if not shared.is_symlink():
        shared.symlink_to(folder.resolve() / "targets")
    for name, text in parcel.files.items():
        write_own(workspace / "targets" / Path(name).name, text.encode())  # one of them may hold private variables
    (workspace / ".committee" / "received.json").unlink(missing_ok=True)  # an earlier version left the order in it
    try:
        order = _order(parcel)
        polite = Politeness(WhenBusy.DRAIN if parcel.drain else WhenBusy.REFUSE, parcel.limit_s, parcel.users_accept)
        hours = Hours.of(parcel.window, parcel.once)
        outcome = detach(workspace, order, Terms(hours, polite, parcel.take_over, parcel.stricter))
    except BadFileError as error:
        return {"error": str(error)}
    if isinstance(outcome, NotDetached):
        going_on = bool(under_way(RunFiles.of(workspace, order.run)))
        return {"error": outcome.sentence, "under_way": going_on}
    return {"run": outcome.run, "pid": outcome.pid, "workspace": str(workspace)}


def _order(parcel: Parcel) -> Order:
    """The order that was sent. Raises BadFileError. It holds private variables: no copy of it is put down here."""
    try:
        return Order.model_validate_json(parcel.order)
    except ValidationError as error:
        raise BadFileError(complaints(error, "the order that was sent")) from error


def main() -> int:
    """Standard input to standard output."""
    said = receive(Parcel(**json.loads(sys.stdin.read())), Path.home())
    sys.stdout.write(json.dumps(said) + "\n")
    return 1 if "error" in said else 0


if __name__ == "__main__":
    sys.exit(main())
