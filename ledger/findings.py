"""What a verification can find, and what it says. Values only."""

from dataclasses import dataclass
from enum import StrEnum

from ledger.chain import Head


class FindingKind(StrEnum):
    """The closed list of findings."""

    DAMAGED_FILE = "damaged_file"  # SQLite itself cannot read all of it
    CHANGED_SCHEMA = "changed_schema"  # a table, index or trigger is not as the migrations made it
    MISSING_TRIGGER = "missing_trigger"  # a guard against change and removal is gone
    EDITED_ENTRY = "edited_entry"  # a header column differs from what was hashed
    EDITED_PAYLOAD = "edited_payload"  # payload bytes differ from the payload's hash
    UNREADABLE_PAYLOAD = "unreadable_payload"  # whole by its hash, but no schema here reads it
    NOT_CANONICAL = "not_canonical"  # whole by its hash, but another form than RFC 8785's: others may read it otherwise
    REMOVED_ENTRY = "removed_entry"  # an entry inside the chain is gone
    REORDERED_ENTRY = "reordered_entry"  # an entry stands at another place than it was written at
    INSERTED_ENTRY = "inserted_entry"  # an entry stands in the table that the chain does not go through
    FORKED_ENTRY = "forked_entry"  # two whole entries follow the same one: a second writer forked the chain
    CUT_TAIL = "cut_tail"  # newest entries are gone, or an older copy was put back
    OFF_HEAD = "off_head"  # the head file, or a pinned head, names an entry with another id
    MISSING_HEAD = "missing_head"  # no head file, so a cut tail cannot be seen
    EDITED_HEAD = "edited_head"  # the head file cannot be read
    UNREAD_PINS = "unread_pins"  # git cannot be read, so the heads pinned there were held against nothing
    EDITED_PROJECTION = "edited_projection"  # a projection row differs from what its entry gives
    MISSING_PROJECTION = "missing_projection"  # a projection row is gone
    EXTRA_PROJECTION = "extra_projection"  # a projection row that no entry gives
    MISSING_BLOB = "missing_blob"  # a blob that an entry refers to, or a chunk, is gone
    EDITED_BLOB = "edited_blob"  # a blob's content differs from its name
    EDITED_BATCH = "edited_batch"  # the kept root of a batch is not what its entries give
    WRONG_CHECKPOINT = "wrong_checkpoint"  # a checkpoint states another root than its entries give
    NOT_WITHHELD = "not_withheld"  # what a tombstone says is withheld is still there
    WITHHELD = "withheld"  # a notice: a tombstone says that this content is not here any more
    CLOCK_BACKWARDS = "clock_backwards"  # a warning: an entry is dated before the one it follows


WARNINGS = frozenset({FindingKind.CLOCK_BACKWARDS, FindingKind.WITHHELD})
REPAIRED_BY_REBUILD = frozenset(
    {
        FindingKind.EDITED_PROJECTION,
        FindingKind.MISSING_PROJECTION,
        FindingKind.EXTRA_PROJECTION,
        FindingKind.MISSING_TRIGGER,
        FindingKind.EDITED_BATCH,
        *WARNINGS,
    }
)


@dataclass(frozen=True)
class Finding:
    """One thing that is not as it was written."""

    what: FindingKind
    where: str  # "#12", "launch #12", "blob 1a2b3c4d5e6f", a file or trigger name
    sentence: str  # what it is, for people


@dataclass(frozen=True)
class Verification:
    """The outcome of verifying one ledger."""

    entries: int  # entries read
    blobs: int  # blobs read
    head: Head | None  # the newest entry in the database
    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong; a warning alone is not wrong."""
        return all(finding.what in WARNINGS for finding in self.findings)
