"""Typed projections of what the front office and people write: a row for each entry and for each item of its lists.

A column holds the payload field of the same name and is described there; `x_sha256` is the hash of blob `x`, and
`prediction_low_pct` is field `low_pct` of part `prediction`. Rows are filled by `projections.py` alone.
"""

from sqlmodel import Field

from ledger.tables import Item, Projection


class ProposalRow(Projection, table=True):
    __tablename__ = "proposal"
    proposal: str = Field(index=True)
    title: str
    proposal_kind: str
    target: str
    question: str
    budget_money: float
    budget_server_minutes: float


class RevisionRow(Projection, table=True):
    __tablename__ = "revision"
    proposal: str = Field(index=True)
    tree: str = Field(index=True)


class RevisionFileRow(Item, table=True):
    __tablename__ = "revision_file"
    path: str
    blob_sha256: str


class ReviewRunRow(Projection, table=True):
    __tablename__ = "review_run"
    run: str = Field(index=True)
    proposal: str
    tree: str = Field(index=True)
    quorum: int
    template_sha256: str


class ReviewerSeatRow(Item, table=True):
    __tablename__ = "reviewer_seat"
    name: str
    reviewer_kind: str
    model: str
    label: str
    timeout_s: float


class AttemptRow(Projection, table=True):
    __tablename__ = "attempt"
    attempt: str = Field(index=True)
    run: str = Field(index=True)
    reviewer: str
    number: int
    prompt_sha256: str
    nonce: str


class ResponseRow(Projection, table=True):
    __tablename__ = "response"
    attempt: str = Field(index=True)
    raw_sha256: str
    finish_reason: str | None
    served_model: str | None
    prompt_tokens: int | None
    completion_tokens: int | None
    elapsed_s: float
    cost: float
    failure: str | None
    detail: str


class ReviewRow(Projection, table=True):
    __tablename__ = "review"
    run: str = Field(index=True)
    attempt: str
    reviewer: str
    label: str
    hypotheses: int


class ExclusionRow(Projection, table=True):
    __tablename__ = "exclusion"
    run: str = Field(index=True)
    attempt: str | None
    reviewer: str
    reason: str
    detail: str


class HypothesisRow(Projection, table=True):
    __tablename__ = "hypothesis"
    hypothesis: str = Field(index=True)
    run: str = Field(index=True)
    reviewer: str = Field(index=True)
    mechanism: str
    prediction_metric: str
    prediction_load: int
    prediction_direction: str
    prediction_low_pct: float
    prediction_high_pct: float
    prediction_sha256: str
    falsifier: str
    arm_fingerprint: str | None
    not_runnable: str | None


class CitationRow(Item, table=True):
    __tablename__ = "citation"
    file: str
    line: int
    quote: str


class BriefRow(Projection, table=True):
    __tablename__ = "brief"
    run: str = Field(index=True)
    proposal: str
    tree: str
    markdown_sha256: str
    html_sha256: str


class BriefHypothesisRow(Item, table=True):
    __tablename__ = "brief_hypothesis"
    hypothesis: str


class BriefArmRow(Item, table=True):
    __tablename__ = "brief_arm"
    arm: str


class AcceptanceRow(Projection, table=True):
    __tablename__ = "acceptance"
    proposal: str
    tree: str
    target: str = Field(index=True)
    arm: str
    arm_name: str
    run: str
    criteria_sha256: str
    person: str
    reason: str
    supersedes: str | None


class AcceptanceVerdictRow(Item, table=True):
    __tablename__ = "acceptance_verdict"
    verdict: str = Field(index=True)


class ParkedRow(Projection, table=True):
    __tablename__ = "parked"
    subject: str
    proposal: str | None
    reason: str
    person: str


class NotAppliedRow(Projection, table=True):
    __tablename__ = "not_applied"
    arm: str
    arm_name: str
    target: str
    run: str = Field(index=True)
    reason: str
    person: str


class CheckpointRow(Projection, table=True):
    __tablename__ = "checkpoint"
    size: int
    root: str
    head: str


class TombstoneRow(Projection, table=True):
    __tablename__ = "tombstone"
    reason: str
    person: str


class TombstoneEntryRow(Item, table=True):
    __tablename__ = "tombstone_entry"
    entry: str = Field(index=True)


class TombstoneBlobRow(Item, table=True):
    __tablename__ = "tombstone_blob"
    blob: str = Field(index=True)
