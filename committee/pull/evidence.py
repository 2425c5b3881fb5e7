"""What a check says about what `committee pull` wrote and about step-time tables. Pure."""

from collections.abc import Callable, Mapping

from committee.proposals.complaint import Complaint, error
from committee.pull.inventory import INVENTORY, inventory_in
from committee.pull.manifest import MANIFEST, edited_since
from committee.pull.tables import PREFIX, step_tables
from harness.vocabulary.base import BadFileError

READERS: tuple[tuple[str, Callable[[Mapping[str, bytes]], object]], ...] = (
    (INVENTORY, inventory_in),
    (f"{PREFIX}*.toml", step_tables),
)


def evidence_complaints(files: Mapping[str, bytes]) -> list[Complaint]:
    """An error for each file that cannot be read, and a warning for what was edited since it was fetched."""
    found: list[Complaint] = []
    try:
        found += edited_since(files)
    except BadFileError as bad:
        found.append(error(MANIFEST, str(bad)))
    for where, read in READERS:
        try:
            read(files)
        except BadFileError as bad:
            found.append(error(where, str(bad)))
    return found
