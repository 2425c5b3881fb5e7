"""From a run of the bench to entries of the ledger: one for each arm, shape and mode, the whole report beside them."""

import hashlib
import json
import secrets
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from harness.kernels.bench.plan import Plan
from harness.kernels.bench.results import ArmResult, Report
from harness.kernels.compare import Row
from ledger.entries import BlobRef, KernelVerdict
from ledger.store import Ledger

MEDIA_TYPE = "application/json"
CARD, PROCESSOR = "name", "processor"  # what reports call a card and a processor
NOT_TOLD = "not told"


def new_run(now: datetime) -> str:
    """A name that no other run has."""
    return f"kernel-{now:%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"


def verdicts_of(run: str, report: Report, rows: Sequence[Row], plan: Plan, kept: BlobRef) -> tuple[KernelVerdict, ...]:
    """Arms that are not right first, then every timed arm but the baseline. Pure."""
    common = {
        "run": run,
        "task": report.task,
        "task_sha256": report.sha256,
        "device": report.device.get(CARD) or report.facts_before.get(PROCESSOR) or NOT_TOLD,
        "baseline": plan.baseline,
        "smallest_effect_pct": plan.smallest_effect_pct,
        "report": kept,
    }
    wrong = [_wrong(common, arm, report.fault) for arm in report.arms if arm.reason or report.fault]
    return (*wrong, *(_timed(common, row, report) for row in rows if row.arm != plan.baseline))


def _wrong(common: dict[str, object], arm: ArmResult, fault: str) -> KernelVerdict:
    """No number: the arm is not right, or the task tells nothing apart."""
    validity = "INPUT_WRONG" if fault else "INVALID"
    reason = f"input_wrong: {fault}" if fault else f"{arm.reason}: {arm.detail}"
    nothing = dict.fromkeys(("speed", "time_us", "estimate_pct", "low_pct", "high_pct", "more_blocks"))
    told = {"arm_name": arm.arm, "family": arm.family, "shape": arm.shape, "mode": "", "blocks": 0}
    return KernelVerdict.model_validate({**common, **nothing, **told, "validity": validity, "reason": reason})


def _timed(common: dict[str, object], row: Row, report: Report) -> KernelVerdict:
    blocks = len({slot.block for slot in report.slots if slot.arm == row.arm and not slot.reason})
    told = {"arm_name": row.arm, "family": row.family, "shape": row.shape, "mode": row.mode, "time_us": row.time_us}
    found: dict[str, object] = {"speed": None, "estimate_pct": None, "low_pct": None, "high_pct": None}
    if row.answer is not None:
        interval = row.answer.interval
        found = {"speed": row.answer.speed.value, "estimate_pct": interval.estimate_pct}
        found |= {"low_pct": interval.low_pct, "high_pct": interval.high_pct}
    more = row.answer.more_blocks if row.answer is not None else None
    validity = "VALID" if row.answer is not None else "INVALID"
    value = {**common, **told, **found, "blocks": blocks, "more_blocks": more or None}
    return KernelVerdict.model_validate({**value, "validity": validity, "reason": row.reason})


def record(ledger: Ledger, run: str, report: Report, rows: Sequence[Row], plan: Plan) -> tuple[KernelVerdict, ...]:
    """Append them, all or none. Raises LedgerError."""
    kept = ledger.put_blob(report.to_json().encode(), MEDIA_TYPE)
    verdicts = verdicts_of(run, report, rows, plan, kept)
    if verdicts:
        ledger.append_all(verdicts)
    return verdicts


def keep_beside(folder: Path, run: str, report: Report, rows: Sequence[Row], plan: Plan) -> Path:
    """Where no workspace is: the report and its verdicts as one JSON file in the task's results. Raises OSError."""
    content = report.to_json().encode()
    kept = BlobRef(sha256=hashlib.sha256(content).hexdigest(), size=len(content), media_type=MEDIA_TYPE)
    verdicts = [one.as_json() for one in verdicts_of(run, report, rows, plan, kept)]
    results = folder / "results"
    results.mkdir(exist_ok=True)
    file = results / f"{run}.json"
    file.write_text(json.dumps({"report": json.loads(content), "verdicts": verdicts}), encoding="utf-8")
    return file
