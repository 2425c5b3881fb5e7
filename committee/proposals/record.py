"""A revision into the ledger and back: the proposal's statement, the tree, and every file as a blob."""

from dataclasses import dataclass

from committee.proposals.folder import HEADER
from committee.vocabulary.proposal import FrozenRevision, ProposalHeader
from harness.vocabulary.base import BadFileError, parse_toml
from ledger.canonical import sha256_hex
from ledger.entries import BlobRef, Payload, Proposal, Revision, RevisionFile
from ledger.store import Ledger

TEXT, BYTES = "text/plain; charset=utf-8", "application/octet-stream"


@dataclass(frozen=True)
class Unrecorded:
    """What the ledger lacks of a revision."""

    payloads: tuple[Payload, ...]
    contents: tuple[bytes, ...]  # blobs that the payloads name


def store(ledger: Ledger, revision: FrozenRevision) -> None:
    """Write what is not on record yet. Safe to repeat."""
    lacking = unrecorded(ledger, revision)
    ledger.append_all(lacking.payloads, lacking.contents)


def unrecorded(ledger: Ledger, revision: FrozenRevision) -> Unrecorded:
    """The statement when it is new or changed, the revision once."""
    statement = _statement(header_of(revision))
    missing: list[Payload] = []
    contents: tuple[bytes, ...] = ()
    stated = ledger.of(Proposal, proposal=revision.proposal)
    if not stated or stated[-1][1] != statement:
        missing.append(statement)
    if not ledger.of(Revision, proposal=revision.proposal, tree=revision.tree):
        files = tuple(
            RevisionFile(path=path, blob=_ref(content), executable=path in revision.executable)
            for path, content in revision.files
        )
        missing.append(Revision(proposal=revision.proposal, tree=revision.tree, files=files))
        contents = tuple(content for _, content in revision.files)
    return Unrecorded(tuple(missing), contents)


def read_back(ledger: Ledger, proposal: str, tree: str) -> FrozenRevision:
    """The revision as it was stored. Raises BadFileError when the ledger does not hold it."""
    for _, found in ledger.of(Revision, proposal=proposal, tree=tree):
        files = tuple((file.path, ledger.read_blob(file.blob.sha256)) for file in found.files)
        return FrozenRevision(proposal, tree, files, frozenset(file.path for file in found.files if file.executable))
    raise BadFileError(f"revision {tree[:12]} of {proposal!r} is not in {str(ledger.path)!r}; check the tree id")


def header_of(revision: FrozenRevision) -> ProposalHeader:
    """The header as it stands in the revision itself. Raises BadFileError with one sentence."""
    content = dict(revision.files).get(HEADER)
    where = f"{revision.proposal}/{HEADER}"
    if content is None:
        raise BadFileError(f"revision {revision.tree[:12]} has no {HEADER}; add it to {revision.proposal!r}")
    return ProposalHeader.from_mapping(parse_toml(content, where), where)


def is_text(content: bytes) -> bool:
    """UTF-8 without NUL: what can be shown to a reviewer as it is."""
    if b"\x00" in content:
        return False
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _ref(content: bytes) -> BlobRef:
    return BlobRef(sha256=sha256_hex(content), size=len(content), media_type=TEXT if is_text(content) else BYTES)


def _statement(header: ProposalHeader) -> Proposal:
    return Proposal(
        proposal=header.id,
        title=header.title,
        proposal_kind=header.kind,
        target=header.target,
        question=header.question,
        budget_money=header.budget.money,
        budget_server_minutes=header.budget.server_minutes,
    )
