"""A review run in a temporary ledger, for tests that ask reviewers."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from committee.proposals.record import store
from committee.review.ask import Shared, Sitting
from committee.review.books import Books
from committee.review.budget import Allowance
from committee.review.call import call
from committee.review.lines import lines
from committee.review.order import Edge, Order
from committee.review.prompt import Subject, template_sha256
from committee.review.received import Received
from committee.review.scribe import scribe_at
from committee.vocabulary.config import CommitteeConfig
from committee.vocabulary.proposal import FrozenRevision
from harness.vocabulary.target import Target
from ledger.entries import ReviewerSeat, ReviewRun
from ledger.store import Ledger

RUN = "review-000001"
TREE = "a" * 40
HEADER = b"""schema = 1
id = "0001-which-knob"
title = "Which knob is real?"
kind = "config"
target = "demo"
question = "Which knob is real?"
[budget]
money = 1.0
server_minutes = 10
"""
REVISION = FrozenRevision(
    "0001-which-knob",
    TREE,
    (("PROPOSAL.md", b"# One slot\n\nFour users share one slot.\n"), ("proposal.toml", HEADER)),
)
TARGET = Target.model_validate(
    {
        "schema": 1,
        "name": "demo",
        "adapter": "command",
        "users": 4,
        "baseline": {"command": ["true"], "flags": {"n-parallel": 1}},
        "endpoint": {"port": 0},
        "ready": {"pattern": "listening", "timeout_s": 5},
        "planning": {"launch_sd_pct": 5, "start_s": 1},
        "allowed_flags": {"n-parallel": {"type": "int", "min": 1, "max": 8}},
    }
)
FREE = {"price_in_per_mtok": 0.0, "price_out_per_mtok": 0.0}
SUBJECT = Subject(REVISION, "Which knob is real?", "Which knob is real?", TARGET, (1, 2, 4), ())


def openai(name: str, model: str, base_url: str, **changes: Any) -> dict[str, Any]:
    """A reviewer's table as committee.toml holds it; what it costs is said in `changes`, else nothing."""
    return FREE | {"name": name, "kind": "openai", "base_url": base_url, "model": model, "timeout_s": 20} | changes


def config(*reviewers: dict[str, Any], quorum: int = 1) -> CommitteeConfig:
    """A committee of these reviewers; an agent without a price costs nothing."""
    seats = [FREE | reviewer if reviewer["kind"] == "command" else reviewer for reviewer in reviewers]
    return CommitteeConfig.model_validate({"review": {"quorum": quorum}, "reviewer": seats})


def seat(settings: CommitteeConfig, name: str) -> ReviewerSeat:
    """The seat of one reviewer as a review run records it."""
    reviewer = settings.named(name)
    return ReviewerSeat(
        name=name,
        reviewer_kind=reviewer.kind,
        model=reviewer.shown_model,
        label=reviewer.shown_as,
        timeout_s=reviewer.timeout_s,
    )


@asynccontextmanager
async def sitting(
    folder: Path, settings: CommitteeConfig, budget: Allowance | None = None, **changes: Any
) -> AsyncIterator[Sitting]:
    """A run whose beginning is on record, at a scribe and lines of its own; `changes` are of what branches share."""
    at_once = settings.review.calls_per_endpoint
    with Ledger.open(folder / "records.db", actor="test", create=True) as ledger:
        begin(ledger, settings)
        async with lines(at_once) as own, scribe_at(ledger, Books(settings)) as scribe:
            shared = replace(Shared(ledger, settings, Edge({}), scribe, own), **changes)
            yield Sitting(shared, RUN, SUBJECT, budget or Allowance("the proposal's", 1.0))


def begin(ledger: Ledger, settings: CommitteeConfig) -> None:
    """Put the run's beginning on record, once."""
    if ledger.of(ReviewRun, run=RUN):
        return
    store(ledger, REVISION)
    run = ReviewRun(
        run=RUN,
        proposal=REVISION.proposal,
        tree=TREE,
        reviewers=tuple(seat(settings, reviewer.name) for reviewer in settings.reviewer),
        quorum=settings.review.quorum,
        template_sha256=template_sha256(),
    )
    ledger.append(run)


async def called(order: Order, edge: Edge) -> Received:
    """One call over lines of its own."""
    async with lines(1) as own:
        return await call(order, edge, own)
