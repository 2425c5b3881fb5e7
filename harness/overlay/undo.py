"""The journal of changed files: written before the first byte is changed, gone when all is undone and checked.

Standard library only. It lies in the target's state directory, twice; the guardian undoes what it finds there before it
starts production, so that whoever was killed, and whenever, production's files are what they were.
"""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from harness.overlay.apply import apply, planned, take_back
from harness.overlay.steps import MARK, Json, Refused, Steps, facts, read_back, sync_folder, write_down

JOURNALS = ("undo.json", "undo.copy.json")


class Overlays:
    """The changed files of one state directory. `tell(what, detail)` appends to the guardian's own journal."""

    def __init__(self, state: Path, tell: Callable[[str, str], None]) -> None:
        """Nothing is read or changed yet."""
        self.state, self.tell = state, tell
        self.keep = state / "undo"

    def standing(self) -> Json | None:
        """The journal of what is changed now, none if nothing is. Raises Refused if neither of its copies is whole."""
        broken: list[str] = []
        for name in JOURNALS:
            try:
                if (found := read_back(self.state / name)) is not None:
                    return found
            except ValueError as error:
                broken.append(f"{name}: {error}")
        if broken:
            raise Refused(
                f"the journal of changed files in {str(self.state)!r} is not whole ({'; '.join(broken)}). Copies of "
                f"the originals are kept in {str(self.keep)!r} and beside them as '*.{MARK}backup-*': put them back by "
                f"hand, then remove {' and '.join(JOURNALS)}"
            )
        return None

    def refuse_beside(self, label: str) -> None:
        """Raises Refused where files are changed for something else than `label`."""
        found = self.standing()
        if found is not None and found["label"] != label:
            raise Refused(f"files are still changed for {found['label']!r}; undo that first")

    def apply(self, label: str, changes: list[Json]) -> Steps:
        """Change the files of one launch, all or none; a report of each. Raises Refused."""
        if self.standing() is not None:
            raise Refused("files are still changed for an earlier launch; undo that first")
        changes = sorted(changes, key=lambda change: change["kind"] == "in-place")  # copies are of what was there
        try:
            entries = yield from self.prepare(label, changes)
            self.tell("files_changed", ", ".join(entry["path"] for entry in entries))
            return (yield from self.change(changes, entries))
        except (Refused, OSError) as error:
            said = yield from self.undo()
            raise Refused("; ".join((str(error), *said))) from error

    def prepare(self, label: str, changes: list[Json]) -> Steps:
        """Ask everything that can be asked before a byte is changed, then write the journal."""
        self.keep.mkdir(mode=0o700, exist_ok=True)
        entries: list[Json] = []
        for number, change in enumerate(changes):
            kept = self.keep / f"{MARK}{number}-{Path(change['path']).name}"
            entries.append((yield from planned(change, label, kept)))
        for name in reversed(JOURNALS):
            write_down(self.state / name, {"label": label, "entries": entries})
        return entries

    def change(self, changes: list[Json], entries: list[Json]) -> Steps:
        """Do what the journal says; a report of each, with the facts of what was made."""
        reports: list[Json] = []
        for change, entry in zip(changes, entries, strict=True):
            report = yield from apply(change, entry)
            after = (yield from facts(Path(report["made"]))) if "made" in report else None
            reports.append(entry | {"report": report, "after": after})
        return reports

    def undo(self) -> Steps:
        """Take everything back and check it; one sentence for each thing that was not as it should be.

        Safe to repeat. Raises Refused where a file could not be mended: the journal and every copy stay.
        """
        found = self.standing()
        if found is None:
            with suppress(OSError):  # left over from changes that were refused
                self.keep.rmdir()
            return []
        said: list[str] = []
        good = True
        for entry in reversed(found["entries"]):
            try:
                sentences, mended = yield from take_back(entry)
            except OSError as error:
                sentences, mended = [f"{entry['path']!r}: {error}"], False
            said += sentences
            good = good and mended
        self.tell("files_undone" if good else "files_not_undone", "; ".join(said))
        if not good:
            raise Refused("; ".join(said))
        for name in JOURNALS:
            (self.state / name).unlink(missing_ok=True)
        sync_folder(self.state)
        with suppress(OSError):
            self.keep.rmdir()
        return said
