"""A review run in a temporary ledger, for tests that ask reviewers."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from committee.proposals.record import store
from committee.review.ask import Sitting
from committee.review.order import Edge
from committee.review.prompt import Subject, template_sha256
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
SUBJECT = Subject(REVISION, "Which knob is real?", "Which knob is real?", TARGET, (1, 2, 4), ())


def openai(name: str, model: str, base_url: str, **changes: Any) -> dict[str, Any]:
    """A reviewer's table as committee.toml holds it."""
    return {"name": name, "kind": "openai", "base_url": base_url, "model": model, "timeout_s": 20} | changes


def config(*reviewers: dict[str, Any], quorum: int = 1) -> CommitteeConfig:
    """A committee of these reviewers."""
    return CommitteeConfig.model_validate({"review": {"quorum": quorum}, "reviewer": list(reviewers)})


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


def sitting(folder: Path, settings: CommitteeConfig, **changes: Any) -> Sitting:
    """A run whose beginning is on record."""
    ledger = Ledger.open(folder / "records.db", actor="test", create=True)
    if not ledger.of(ReviewRun, run=RUN):
        store(ledger, REVISION)
        seats = tuple(seat(settings, reviewer.name) for reviewer in settings.reviewer)
        run = ReviewRun(
            run=RUN,
            proposal=REVISION.proposal,
            tree=TREE,
            reviewers=seats,
            quorum=settings.review.quorum,
            template_sha256=template_sha256(),
        )
        ledger.append(run)
    return replace(Sitting(ledger, RUN, settings, SUBJECT, 1.0, Edge({})), **changes)
