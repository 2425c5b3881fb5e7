"""The questions people ask, each answered from one documented view or table by its index. Reading only."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam, text

from ledger import reading
from ledger.entries import Launch
from ledger.model_files import NAMED
from ledger.store import Ledger

MOST = 1000  # answers; more are counted by nobody
NO_ENTRY = 2**53  # above every number of an entry
RUNS_AT_ONCE = 100  # whose verdicts are read together, newest runs first


@dataclass(frozen=True)
class Judged:
    """One verdict that answers a question; every question selects its columns in this order."""

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
    run: str
    primary: bool  # on the metric and load that decided
    low_pct: float | None
    high_pct: float | None

    @property
    def words(self) -> str:
        """One line."""
        change = "" if self.estimate_pct is None else f" {self.estimate_pct:+.1f} %"
        if self.low_pct is not None and self.high_pct is not None:
            change += f" ({self.low_pct:+.1f} to {self.high_pct:+.1f})"
        return (
            f"#{self.seq} {self.time[:10]} {self.what}: {self.speed or self.validity}{change} "
            f"({self.arm_name} on {self.target}, {self.metric} at {self.load} user{'s' if self.load > 1 else ''}"
            f"{', primary' if self.primary else ''})"
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


# Numbers first, so that what is no answer is not fetched. An arm is on record once for every run that measured it.
# The || keeps SQLite from the index by target, behind which all verdicts of a server stand.
_SETTING = """
    WITH named AS (SELECT DISTINCT a.fingerprint, a.target, s.value FROM arm_setting s JOIN arm a ON a.seq = s.seq
                   WHERE s.name = :name AND (:target = '' OR a.target = :target)),
         newest AS (SELECT v.seq, n.value FROM named n
                    JOIN verdict v ON v.arm = n.fingerprint AND v.target || '' = n.target
                    ORDER BY v.seq DESC LIMIT :most)
    SELECT v.seq, e.time, CAST(:name AS VARCHAR) || ' = ' || n.value AS what, v.target, v.arm_name, v.metric, v.load,
           v.validity, v.speed, v.interval_estimate_pct AS estimate_pct, v.run,
           v."primary", v.interval_low_pct, v.interval_high_pct
    FROM newest n JOIN verdict v ON v.seq = n.seq JOIN entry e ON e.seq = n.seq ORDER BY v.seq DESC
"""
_REVIEWER = """
    WITH newest AS (
        SELECT v.seq, h.hypothesis || ' said ' || h.prediction_direction AS what
        FROM hypothesis h JOIN verdict v
          ON v.arm = h.arm_fingerprint AND v.metric = h.prediction_metric AND v.load = h.prediction_load
        WHERE h.reviewer = :name AND v.seq > h.seq AND v.validity = 'VALID'
          AND ((h.prediction_direction = 'up' AND v.speed IN ('FASTER', 'SLOWER') AND v.interval_estimate_pct > 0)
            OR (h.prediction_direction = 'down' AND v.speed IN ('FASTER', 'SLOWER') AND v.interval_estimate_pct < 0)
            OR (h.prediction_direction = 'same' AND v.speed = 'SAME'))
        ORDER BY v.seq DESC LIMIT :most)
    SELECT v.seq, e.time, n.what, v.target, v.arm_name, v.metric, v.load, v.validity, v.speed,
           v.interval_estimate_pct AS estimate_pct, v.run,
           v."primary", v.interval_low_pct, v.interval_high_pct
    FROM newest n JOIN verdict v ON v.seq = n.seq JOIN entry e ON e.seq = n.seq ORDER BY v.seq DESC
"""
_RUNS_WITH_VERSION = """
    SELECT r.seq, r.run, NULL AS arm FROM measuring_run r WHERE r.harness_version = :name AND r.seq < :below
    ORDER BY r.seq DESC LIMIT :most
"""
_RUNS_UNDER_DRIVER = """
    SELECT m.seq, m.run, NULL AS arm FROM machine m
    WHERE m.driver = :name AND m.seq < :below ORDER BY m.seq DESC LIMIT :most
"""
_RUNS_ON_CARD = """
    SELECT m.seq, m.run, NULL AS arm FROM machine m WHERE m.seq < :below AND m.seq IN
        (SELECT c.seq FROM machine_card c WHERE c.uuid = :name
         UNION SELECT c.seq FROM machine_card c WHERE c.name = :name)
    ORDER BY m.seq DESC LIMIT :most
"""
_OF_RUNS = text("""
    SELECT v.seq, e.time, CAST(:what AS VARCHAR) AS what, v.target, v.arm_name, v.metric, v.load, v.validity, v.speed,
           v.interval_estimate_pct AS estimate_pct, v.run, v."primary", v.interval_low_pct, v.interval_high_pct, v.arm
    FROM verdict v JOIN entry e ON e.seq = v.seq WHERE v.run IN :runs
""").bindparams(bindparam("runs", expanding=True))
# A verdict compares its arm with the baseline: it rests on the files of both, not on another arm's.
_RUNS_WITH_MODEL = f"""
    SELECT m.seq, m.run, m.arm FROM model m WHERE m.seq < :below AND m.seq IN ({NAMED}) ORDER BY m.seq DESC LIMIT :most
"""  # noqa: S608 - words from here
_OPENING = text("SELECT MIN(l.seq) FROM launch l WHERE l.run IN :runs GROUP BY l.run").bindparams(
    bindparam("runs", expanding=True)
)
_PRODUCTION = """
    SELECT seq, time, arm_name, proposal, run, person, reason FROM production WHERE target = :target
    UNION ALL
    SELECT r.seq, e.time, COALESCE('back to ' || a.arm_name, 'back to its own file') AS arm_name,
           COALESCE(a.proposal, '') AS proposal, COALESCE(a.run, '') AS run, r.person, r.reason
    FROM rollback r JOIN entry e ON e.seq = r.seq LEFT JOIN entry b ON b.id = r.back_to
    LEFT JOIN acceptance a ON a.seq = b.seq WHERE r.target = :target ORDER BY 1
"""


def verdicts_on_setting(ledger: Ledger, name: str, target: str = "") -> tuple[Judged, ...]:
    """Every verdict on arms that set this flag or variable, newest first; on every target unless one is named."""
    return _judged(ledger, _SETTING, name=name, target=target, most=MOST)


def predictions_that_held(ledger: Ledger, reviewer: str) -> tuple[Judged, ...]:
    """Verdicts whose direction is the one that this reviewer had predicted for that metric and load, newest first."""
    return _judged(ledger, _REVIEWER, name=reviewer, most=MOST)


def measured_with_version(ledger: Ledger, version: str) -> tuple[Judged, ...]:
    """Verdicts of runs that this version of the harness planned, those of the newest runs."""
    return _of_newest_runs(ledger, _RUNS_WITH_VERSION, version, f"harness {version}")


def measured_under_driver(ledger: Ledger, driver: str) -> tuple[Judged, ...]:
    """Verdicts of runs that had launches under this driver, those of the newest runs."""
    return _of_newest_runs(ledger, _RUNS_UNDER_DRIVER, driver, f"driver {driver}")


def measured_on_card(ledger: Ledger, card: str) -> tuple[Judged, ...]:
    """Verdicts of runs that had launches on a machine with this card, by its uuid or its model's name."""
    return _of_newest_runs(ledger, _RUNS_ON_CARD, card, f"card {card}")


def measured_with_model(ledger: Ledger, file: str) -> tuple[Judged, ...]:
    """Verdicts on launches that ran with this model file, those of the newest runs.

    The file by its path or the last part of it, by its sample, or by the whole file's hash.
    """
    return _of_newest_runs(ledger, _RUNS_WITH_MODEL, file, f"model {file}")


def production_of(ledger: Ledger, target: str) -> tuple[Decided, ...]:
    """Everything that made this target what it is, acceptances and goings back, oldest first; the last is in force."""
    with ledger.looking() as connection:
        found = connection.execute(text(_PRODUCTION), {"target": target}).mappings()
        return tuple(Decided(**row) for row in found)


def opening_launches(ledger: Ledger, runs: Collection[str]) -> tuple[Launch, ...]:
    """The first launch of each of these runs that has one: it tells what kind of server was started."""
    if not runs:
        return ()
    with ledger.looking() as connection:
        seqs = [row[0] for row in connection.execute(_OPENING, {"runs": sorted(runs)})]
        payloads = [entry.payload for entry in reading.by_number(connection, seqs)]
    return tuple(one for one in payloads if isinstance(one, Launch))


def _judged(ledger: Ledger, words: str, **given: Any) -> tuple[Judged, ...]:
    with ledger.looking() as connection:
        return _primary_first([_judged_of(row) for row in connection.execute(text(words), given)])


def _judged_of(row: Sequence[Any]) -> Judged:
    values = [*row]
    values[-3] = bool(values[-3])  # SQLite has no truth values
    return Judged(*values)


def _primary_first(found: Sequence[Judged]) -> tuple[Judged, ...]:
    """Runs in the order of their newest verdict; of each its primary verdicts first, then the others, newest first."""
    newest: dict[str, int] = {}
    for one in found:
        newest[one.run] = max(newest.get(one.run, 0), one.seq)
    return tuple(sorted(found, key=lambda one: (-newest[one.run], not one.primary, -one.seq)))


def _of_newest_runs(ledger: Ledger, words: str, name: str, what: str) -> tuple[Judged, ...]:
    """Runs are asked for newest first, and no more of them than give `MOST` answers. With an arm, only its verdicts."""
    found: dict[int, Judged] = {}
    below = NO_ENTRY
    with ledger.looking() as connection:
        while len(found) < MOST:
            given = {"name": name, "value": name, "below": below, "most": RUNS_AT_ONCE}
            runs = connection.execute(text(words), given).all()
            if not runs:
                break
            below = runs[-1][0]
            wanted = {(run, arm) for _, run, arm in runs}
            asked = {"what": what, "runs": sorted({run for run, _ in wanted})}
            for row in connection.execute(_OF_RUNS, asked):
                if wanted & {(row.run, None), (row.run, row.arm)}:
                    found[row.seq] = _judged_of(row[:-1])
    return _primary_first([found[seq] for seq in sorted(found, reverse=True)[:MOST]])
