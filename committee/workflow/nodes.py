"""The graph's nodes: thin, each safe to run again, each asking the ledger first whether its work is done.

A node returns ids. An expected end of the run is the key `ended` with one sentence; a fault is raised.
"""

from typing import Any

from langgraph.types import Send, interrupt

from committee.brief.render import render, write
from committee.fuse.fuse import arm_entries
from committee.fuse.fused import Fused
from committee.proposals.check import check, passes
from committee.proposals.complaint import Severity
from committee.proposals.record import unrecorded
from committee.proposals.revision import freeze
from committee.review.ask import ask, blob_ref, seated
from committee.review.books import COMPLETE
from committee.review.budget import uncounted
from committee.review.prompt import template_sha256
from committee.review.rounds import second_look, without_comments
from committee.review.scribe import Wanted
from committee.workflow.briefing import brief_input
from committee.workflow.desk import Measuring, StageEvent
from committee.workflow.rounds import later_rounds, with_rounds
from committee.workflow.session import Session
from committee.workflow.state import Branch, Stage, State, measuring_run
from harness.vocabulary.base import BadFileError
from ledger.entries import (
    Arm,
    Brief,
    Payload,
    ReviewerSeat,
    ReviewRun,
    Verdict,
)

Update = dict[str, Any]
MARKDOWN, HTML = "text/markdown; charset=utf-8", "text/html; charset=utf-8"


class Nodes:
    """The nodes of one command's runs."""

    def __init__(self, session: Session) -> None:
        self.session, self.desk = session, session.desk

    async def freeze(self, state: State) -> Update:
        """The folder as it is now, or, for a run on record, as it was when it began."""
        begun = self.session.begun(state["run"])
        if begun:
            return {"tree": begun.tree, "reviewers": [seat.name for seat in begun.reviewers]}
        revision = freeze(self.desk.folder_of(state["proposal"]))
        self.session.hold(revision)
        self.session.proposal(revision.proposal, revision.tree)  # what cannot be read goes no further
        return {"tree": revision.tree}

    async def preflight(self, state: State) -> Update:
        """Nothing is asked, and nothing of the revision recorded, before the check passes: it may hold a secret."""
        begun = self.session.begun(state["run"])
        if begun is not None:  # recorded, then killed before the checkpoint held this stage's own end
            return {"reviewers": [seat.name for seat in begun.reviewers]}
        session, about = self.session, (state["proposal"], state["tree"])
        sitting = session.sitting(state["run"], *about)
        target = sitting.subject.target
        complaints = check(session.proposal(*about), session.revision(*about), target, self.desk.ledger)
        if not passes(complaints):
            errors = [f"{found.where}: {found.sentence}" for found in complaints if found.severity is Severity.ERROR]
            more = f" (and {len(errors) - 1} more; see `committee check`)" if len(errors) > 1 else ""
            return {"ended": f"{errors[0]}{more}"}
        config = self.desk.config
        leaving = session.shared.lookout.refusal(sitting.subject, config.reviewer, config.review.language)
        if leaving:
            return {"ended": leaving}
        unknown = uncounted(config.reviewer, sitting.allowances)
        if unknown:
            return {"ended": unknown}
        beginning = self._beginning(state)
        lacking = unrecorded(self.desk.ledger, session.revision(*about))
        await self._record((*lacking.payloads, beginning), lacking.contents)
        session.hold_begun(beginning)
        return {"reviewers": [reviewer.name for reviewer in self.desk.config.reviewer]}

    def fan_out(self, state: State) -> list[Send]:
        """One branch for each reviewer. Raises BadFileError before anything is sent if one to be asked was changed."""
        books = self.session.shared.scribe.books
        for seat in self._begun(state["run"]).reviewers:
            if books.ended(state["run"], seat.name) is None:
                seated(self.desk.config, seat)
        shared = {"run": state["run"], "proposal": state["proposal"], "tree": state["tree"], "upto": state["upto"]}
        return [Send("review", {**shared, "reviewer": name}) for name in state["reviewers"]]

    async def review(self, branch: Branch) -> Update:
        """One reviewer to its end. Its wall clock is inside the call; every expected failure is an outcome."""
        sitting = self.session.sitting(branch["run"], branch["proposal"], branch["tree"])
        begun = self._begun(branch["run"])
        seat = next(seat for seat in begun.reviewers if seat.name == branch["reviewer"])
        return {"seats": {seat.name: await ask(sitting, seat)}}

    async def quorum(self, state: State) -> Update:
        """Counted in the ledger, before anything is fused."""
        begun = self._begun(state["run"])
        books = self.session.shared.scribe.books
        ends = {seat.name: books.ended(begun.run, seat.name) or "" for seat in begun.reviewers}
        complete = [name for name, end in ends.items() if end == COMPLETE]
        if len(complete) >= begun.quorum:
            return {}
        missing = [f"{name} {end}" for name, end in ends.items() if end != COMPLETE]
        return {
            "ended": f"{len(complete)} of {len(begun.reviewers)} reviewers gave a complete review, but the quorum is "
            f"{begun.quorum} (left out: {', '.join(missing)}); mend them or lower the quorum, then review again"
        }

    async def without_comments(self, state: State) -> Update:
        """Where the run began with it: everybody once more, for the files without their comments."""
        begun = self._begun(state["run"])
        if begun.differential:
            self.desk.watch_stages(StageEvent(Stage.WITHOUT_COMMENTS.value))
            await without_comments(self.session.sitting(begun.run, begun.proposal, begun.tree), begun)
        return {}

    async def second_look(self, state: State) -> Update:
        """Where the run began with it: everybody once more, shown the fused hypotheses without names."""
        begun = self._begun(state["run"])
        if begun.second_look:
            self.desk.watch_stages(StageEvent(Stage.SECOND_LOOK.value))
            about = (begun.run, begun.proposal, begun.tree)
            await second_look(self.session.sitting(*about), begun, self.session.first_round(*about))
        return {}

    async def fuse(self, state: State) -> Update:
        """The changes to measure, each once."""
        return {"arms": list(self._fused(state).fingerprints)}

    async def brief(self, state: State) -> Update:
        """brief.md and brief.html into the proposal's folder, and on record once."""
        begun = self._begun(state["run"])
        first, fused = self.session.ended(begun.run), self.session.fused(begun)
        header = self.session.proposal(begun.proposal, begun.tree).header
        given = brief_input(begun, header, first.reviews, first.left, fused)
        files = dict(self.session.revision(begun.proposal, begun.tree).files)
        made = render(with_rounds(given, first, later_rounds(self.desk.ledger, begun), files))
        write(self.desk.folder_of(begun.proposal), made)
        if begun.run not in self.session.shared.scribe.books.briefs:
            contents = (made.markdown.encode(), made.html.encode())
            entry = Brief(
                run=begun.run,
                proposal=begun.proposal,
                tree=begun.tree,
                took_part=tuple(part.reviewer for part in given.took_part),
                excluded=tuple(left.reviewer for left in given.left_out),
                hypotheses=tuple(hypothesis.hypothesis for hypothesis in fused.hypotheses),
                arms=fused.fingerprints,
                markdown=blob_ref(contents[0], MARKDOWN),
                html=blob_ref(contents[1], HTML),
            )
            known = Wanted(), Wanted((entry,), contents)  # once, whoever else takes the run up
            await self.session.shared.scribe.write(lambda books: known[begun.run not in books.briefs])
        return {}

    async def arms(self, state: State) -> Update:
        """Every admitted arm on record, with where it came from."""
        proposal = self.session.proposal(state["proposal"], state["tree"]).header
        entries = arm_entries(self._fused(state), proposal.target, proposal.id)
        known = [arm for _, arm in self.desk.ledger.of(Arm, proposal=proposal.id)]
        await self._record(tuple(arm for arm in entries if arm not in known))
        return {} if entries else {"ended": "no reviewer and no file in arms/ names an arm that can be measured"}

    async def measure(self, state: State) -> Update:
        """Start, or rejoin, the separate measuring process."""
        asked = Measuring(
            run=measuring_run(state["run"]),
            review_run=state["run"],
            proposal=state["proposal"],
            tree=state["tree"],
            arms=tuple(state["arms"]),
        )
        measured = await self.desk.measure(asked)
        return {"measuring_run": measured.run} | ({} if measured.complete else {"ended": measured.sentence})

    async def rank(self, state: State) -> Update:
        """The verdicts of the measuring run: the only order there is."""
        found = [entry.id for entry, _ in self.desk.ledger.of(Verdict, run=state["measuring_run"])]
        return {"verdicts": found} if found else {"ended": f"run {state['measuring_run']} came to no verdict"}

    async def accept(self, state: State) -> Update:
        """Waits for a person, and does nothing else: it runs again from the top when they answer."""
        return {"decision": interrupt({"run": state["run"], "measuring_run": state["measuring_run"]})}

    async def _record(self, payloads: tuple[Payload, ...], contents: tuple[bytes, ...] = ()) -> None:
        await self.session.shared.scribe.write(lambda _books: Wanted(payloads, contents))

    def _beginning(self, state: State) -> ReviewRun:
        return ReviewRun(
            run=state["run"],
            proposal=state["proposal"],
            tree=state["tree"],
            reviewers=tuple(
                ReviewerSeat(
                    name=reviewer.name,
                    reviewer_kind=reviewer.kind,
                    model=reviewer.shown_model,
                    label=reviewer.shown_as,
                    timeout_s=reviewer.timeout_s,
                    lens=reviewer.lens.value if reviewer.lens else "",
                )
                for reviewer in self.desk.config.reviewer
            ),
            quorum=self.desk.config.review.quorum,
            template_sha256=template_sha256(self.desk.config.review.language),
            language=self.desk.config.review.language,
            second_look=self.desk.config.review.second_look,
            differential=self.desk.differential,
        )

    def _begun(self, run: str) -> ReviewRun:
        begun = self.session.begun(run)
        if begun is None:
            raise BadFileError(f"there is no review run {run!r} in {str(self.desk.ledger.path)!r}; see `committee log`")
        return begun

    def _fused(self, state: State) -> Fused:
        return self.session.fused(self._begun(state["run"]))
