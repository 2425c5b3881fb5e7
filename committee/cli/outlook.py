"""What measuring more would cost in this workspace as it is now, read once for the report and the measured table."""

from committee.measure.budget import used_min
from committee.proposals.folder import load
from committee.report import Outlook
from committee.workspace import Workspace
from harness.vocabulary.base import BadFileError
from harness.vocabulary.target import Planning
from ledger.store import Ledger


def outlook_of(place: Workspace, ledger: Ledger) -> Outlook:
    """Figures of every target and proposal that can be read; of the others nothing is said."""
    planning, hashes = dict[str, Planning](), dict[str, str]()
    left, asked = dict[str, float](), dict[str, int]()
    for path in sorted((place.folder / "targets").glob("*.toml")):
        try:
            target, sha256 = place.target(path.stem)
        except BadFileError:
            continue
        planning[target.name], hashes[target.name] = target.planned, sha256
    for folder in sorted((place.folder / "proposals").glob("*/")):
        try:
            loaded = load(folder)
        except (BadFileError, OSError):
            continue
        header, asked[loaded.header.id] = loaded.header, loaded.criteria.blocks
        left[header.id] = max(0.0, header.budget.server_minutes - used_min(ledger, header.id))
    return Outlook(planning, hashes, left, asked)
