"""Migration 1: entries, blobs, projections, and the triggers that refuse change and removal. Never edited.

It states its own tables, so that later changes of `ledger/tables.py` cannot change what it did. A projection is
written as `name[:type][?][!]`: text unless a type is given, `?` may be null, `!` is indexed.
"""

from sqlalchemy import BigInteger, Column, Connection, ForeignKey, LargeBinary, MetaData, String, Table

from ledger.migrations.building import INTEGER, column, guard

ENTRY_TABLES = {
    "proposal": "proposal! title proposal_kind target question budget_money:float budget_server_minutes:float",
    "revision": "proposal! tree",
    "review_run": "run! proposal tree quorum:int template_sha256",
    "attempt": "attempt! run! reviewer number:int prompt_sha256 nonce",
    "response": (
        "attempt! raw_sha256 finish_reason? served_model? prompt_tokens:int? completion_tokens:int? "
        "elapsed_s:float cost:float failure? detail"
    ),
    "review": "run! attempt reviewer label hypotheses:int",
    "exclusion": "run! attempt? reviewer reason detail",
    "hypothesis": (
        "hypothesis! run! reviewer mechanism prediction_metric prediction_load:int prediction_direction "
        "prediction_low_pct:float prediction_high_pct:float prediction_sha256 falsifier arm_fingerprint? "
        "not_runnable?"
    ),
    "brief": "run! proposal tree markdown_sha256 html_sha256",
    "target_state": "target! state by run? pid:int? start_time:big? url? evidence",
    "arm": "fingerprint! name target proposal?",
    "measuring_run": "run! target target_sha256 proposal? tree? seed:big blocks:int downtime_s:float harness_version",
    "launch": (
        "launch! run! target block:int attempt:int position:int role arm? pid:int? start_time:big? "
        "ready_s:float? log_sha256? outcome reason? detail"
    ),
    "gate": "launch! run! gate passed:bool reason? evidence",
    "trial": "launch! run! protocol reason? detail requests_sha256?",
    "verdict": (
        "run! target! arm! arm_name metric load:int primary:bool validity speed? numerics "
        "interval_estimate_pct:float? interval_low_pct:float? interval_high_pct:float? "
        "interval_level:float? interval_launch_sd_pct:float? smallest_effect_pct:float blocks:int "
        "placebo_low_pct:float? placebo_high_pct:float? visible_effect_pct:float? more_blocks:int?"
    ),
    "run_end": "run! outcome reason? detail downtime_s:float",
    "acceptance": "proposal tree target! arm arm_name run criteria_sha256 person reason supersedes?",
    "parked": "subject proposal? reason person",
    "not_applied": "arm arm_name target run reason person",
}
ITEM_TABLES = {
    "revision_file": "path blob_sha256",
    "reviewer_seat": "name reviewer_kind model label timeout_s:float",
    "citation": "file line:int quote",
    "brief_hypothesis": "hypothesis",
    "brief_arm": "arm",
    "arm_origin": "origin",
    "slot": "block:int position:int role arm?",
    "trial_metric": "metric load:int value:float samples:int",
    "verdict_trial": "trial",
    "acceptance_verdict": "verdict",
}


def _truth(metadata: MetaData) -> None:
    Table(
        "entry", metadata,
        Column("seq", INTEGER, primary_key=True),
        Column("id", String, nullable=False, unique=True),
        Column("time", String, nullable=False),
        Column("actor", String, nullable=False),
        Column("kind", String, nullable=False, index=True),
        Column("version", INTEGER, nullable=False),
        Column("payload", LargeBinary, nullable=True),
        Column("payload_sha256", String, nullable=False),
        Column("previous", String, nullable=False),
    )  # fmt: skip
    Table(
        "blob", metadata,
        Column("sha256", String, primary_key=True),
        Column("size", BigInteger, nullable=False),
        Column("chunks", INTEGER, nullable=False),
    )  # fmt: skip
    Table(
        "blob_chunk", metadata,
        Column("sha256", String, ForeignKey("blob.sha256"), primary_key=True),
        Column("item", INTEGER, primary_key=True),
        Column("content", LargeBinary, nullable=False),
    )  # fmt: skip


def _projections(metadata: MetaData) -> None:
    for name, columns in ENTRY_TABLES.items():
        seq = Column("seq", INTEGER, ForeignKey("entry.seq"), primary_key=True)
        Table(name, metadata, seq, *(column(one) for one in columns.split()))
    for name, columns in ITEM_TABLES.items():
        seq = Column("seq", INTEGER, ForeignKey("entry.seq"), primary_key=True)
        item = Column("item", INTEGER, primary_key=True)
        Table(name, metadata, seq, item, *(column(one) for one in columns.split()))
    Table(
        "blob_use", metadata,
        Column("seq", INTEGER, ForeignKey("entry.seq"), primary_key=True),
        Column("item", INTEGER, primary_key=True),
        Column("sha256", String, ForeignKey("blob.sha256"), nullable=False, index=True),
    )  # fmt: skip


def upgrade(connection: Connection) -> None:
    """Make everything in an empty database that has the table `migration` only."""
    metadata = MetaData()
    _truth(metadata)
    _projections(metadata)
    metadata.create_all(connection)
    Table("migration", metadata, Column("number", INTEGER, primary_key=True))
    for table in metadata.tables.values():
        guard(connection, table)
