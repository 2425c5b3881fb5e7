"""What many runs of one command share is read once, and again when somebody else wrote."""

from pathlib import Path

from committee.proposals.revision import freeze
from committee.review.scribe import Wanted
from committee.workflow.session import session
from ledger.entries import Parked
from ledger.store import Ledger
from tests.committee.review.sitting import config
from tests.committee.workflow.office import PROPOSAL, office, verdict

NOBODY = {"name": "agent", "kind": "command", "argv": ["committee-no-such-agent"]}


async def test_a_verdict_of_another_process_is_shown_to_the_next_proposal(tmp_path: Path) -> None:
    with office(tmp_path, config(NOBODY, quorum=1)) as desk:
        async with session(desk) as shared:
            revision = freeze(desk.folder_of(PROPOSAL))
            shared.hold(revision)
            first = shared.sitting("review-000001", PROPOSAL, revision.tree)
            assert first.subject.earlier == ()
            with Ledger.open(tmp_path / "records.db", actor="another") as other:
                other.append(verdict("measure-000001", "a" * 64))
            note = Parked(subject="x", proposal=None, reason="y", person="z")
            await shared.shared.scribe.write(lambda _books: Wanted((note,)))
            assert shared.sitting("review-000001", PROPOSAL, revision.tree) is first, "a run keeps what it began with"
            second = shared.sitting("review-000002", PROPOSAL, revision.tree)
            assert second.subject.earlier == ("arm-aaaaaa: total_tok_s @ 4 NOT_SHOWN_ENGAGED, UNKNOWN",)
            again = shared.sitting("review-000003", PROPOSAL, revision.tree)
            assert again.subject.earlier is second.subject.earlier, "nobody wrote since"
