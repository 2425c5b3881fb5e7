"""The questions people ask, each answered from one documented view or table by its index. Reading only."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import text

from ledger.store import Ledger

MOST = 1000  # answers; more are counted by nobody


@dataclass(frozen=True)
class Judged:
    """One verdict that answers a question."""

    seq: int
    time: str
    what: str  # the setting with its value, or the reviewer's prediction
    target: str
    arm_name: str
    metric: str
    load: int
    validity: str
    speed: str | None
    estimate_pct: float | None

    @property
    def words(self) -> str:
        """One line."""
        change = "" if self.estimate_pct is None else f" {self.estimate_pct:+.1f} %"
        return (
            f"#{self.seq} {self.time[:10]} {self.what}: {self.speed or self.validity}{change} "
            f"({self.arm_name} on {self.target}, {self.metric} at {self.load} users)"
        )


@dataclass(frozen=True)
class Decided:
    """One acceptance of a target."""

    seq: int
    time: str
    arm_name: str
    proposal: str
    run: str
    person: str
    reason: str

    @property
    def words(self) -> str:
        """One line."""
        what = f"{self.arm_name} ({self.proposal}, {self.run})"
        return f"#{self.seq} {self.time[:10]} {what} by {self.person}: {self.reason}"


_SETTING = """
    SELECT seq, time, setting || ' = ' || value AS what, target, arm_name, metric, load, validity, speed,
           interval_estimate_pct AS estimate_pct
    FROM setting_verdict WHERE setting = :name AND (:target = '' OR target = :target) ORDER BY seq DESC LIMIT :most
"""
_REVIEWER = """
    SELECT seq, time, hypothesis || ' said ' || prediction_direction AS what, target, arm_name, metric, load, validity,
           speed, interval_estimate_pct AS estimate_pct
    FROM prediction_verdict WHERE reviewer = :name AND validity = 'VALID'
      AND ((prediction_direction = 'up' AND speed IN ('FASTER', 'SLOWER') AND interval_estimate_pct > 0)
        OR (prediction_direction = 'down' AND speed IN ('FASTER', 'SLOWER') AND interval_estimate_pct < 0)
        OR (prediction_direction = 'same' AND speed = 'SAME')) ORDER BY seq DESC LIMIT :most
"""
_FACT = """
    SELECT v.seq, e.time, r.harness_version AS what, v.target, v.arm_name, v.metric, v.load, v.validity, v.speed,
           v.interval_estimate_pct AS estimate_pct
    FROM measuring_run r JOIN verdict v ON v.run = r.run JOIN entry e ON e.seq = v.seq
    WHERE r.harness_version = :name ORDER BY v.seq DESC LIMIT :most
"""
_PRODUCTION = """
    SELECT seq, time, arm_name, proposal, run, person, reason FROM production WHERE target = :target ORDER BY seq
"""


def verdicts_on_setting(ledger: Ledger, name: str, target: str = "") -> tuple[Judged, ...]:
    """Every verdict on arms that set this flag or variable, newest first; on every target unless one is named."""
    return _judged(ledger, _SETTING, name=name, target=target, most=MOST)


def predictions_that_held(ledger: Ledger, reviewer: str) -> tuple[Judged, ...]:
    """Verdicts whose direction is the one that this reviewer had predicted for that metric and load, newest first."""
    return _judged(ledger, _REVIEWER, name=reviewer, most=MOST)


def measured_with_version(ledger: Ledger, version: str) -> tuple[Judged, ...]:
    """Verdicts of runs that this version of the harness planned, newest first."""
    return _judged(ledger, _FACT, name=version, most=MOST)


def production_of(ledger: Ledger, target: str) -> tuple[Decided, ...]:
    """Every acceptance that made this target what it is, oldest first; the last one is in force."""
    with ledger.looking() as connection:
        found = connection.execute(text(_PRODUCTION), {"target": target}).mappings()
        return tuple(Decided(**row) for row in found)


def _judged(ledger: Ledger, words: str, **given: Any) -> tuple[Judged, ...]:
    with ledger.looking() as connection:
        return tuple(Judged(**row) for row in connection.execute(text(words), given).mappings())
