"""Pure: whether the head file, and heads pinned elsewhere (git), still stand on the chain."""

from collections.abc import Iterable

from ledger.chain import Head
from ledger.checks.chain import ChainCheck
from ledger.findings import Finding, FindingKind


def check_head(chain: ChainCheck, said: Head, source: str) -> list[Finding]:
    """A head may be behind the database, never ahead of it nor beside the chain."""
    if said.seq == 0 or chain.lacks(said.seq):
        return []
    if said.seq > chain.last:
        ends = f"ends at #{chain.last}" if chain.last else "is empty"
        sentence = (
            f"the ledger {ends}, but {source} names #{said.seq}: its newest entries were cut off, "
            "or an older copy was put back"
        )
        return [Finding(FindingKind.CUT_TAIL, _range(chain.last + 1, said.seq), sentence)]
    there = next(one for one in chain.placed if one.seq == said.seq)
    if there.stored.id != said.id and there.proved:
        sentence = (
            f"{source} names #{said.seq} {said.id[:12]}, the ledger has {there.stored.id[:12]} there: "
            "one of the two was replaced"
        )
        return [Finding(FindingKind.OFF_HEAD, f"#{said.seq}", sentence)]
    return []


def check_head_row(chain: ChainCheck, said: Head) -> list[Finding]:
    """The head row moves in the transaction that writes an entry: it is never behind either."""
    if said.seq < chain.last:
        sentence = f"the head row names #{said.seq}: what follows was put in without it"
        return [Finding(FindingKind.INSERTED_ENTRY, _range(said.seq + 1, chain.last), sentence)]
    return check_head(chain, said, "the head row")


def check_orphans(chain: ChainCheck, projected: Iterable[int]) -> list[Finding]:
    """Projections after the last entry show a cut tail even without a head file."""
    beyond = [seq for seq in projected if seq > chain.last]
    if not beyond:
        return []
    sentence = (
        f"the ledger ends at #{chain.last}, but projections reach #{max(beyond)}: its newest entries were cut off"
    )
    return [Finding(FindingKind.CUT_TAIL, _range(chain.last + 1, max(beyond)), sentence)]


def _range(low: int, high: int) -> str:
    return f"#{low}" if low == high else f"#{low}-#{high}"
