"""The names that a ledger knows: what a question can be asked about. Reading only."""

from typing import Literal

from sqlalchemy import text

from ledger.store import Ledger

Named = Literal["setting", "target", "reviewer"]
_NAMES: dict[Named, str] = {
    "setting": "SELECT DISTINCT name FROM arm_setting ORDER BY 1",
    "target": "SELECT target FROM proposal UNION SELECT target FROM verdict UNION SELECT target FROM acceptance "
    "UNION SELECT target FROM rollback ORDER BY 1",
    "reviewer": "SELECT name FROM reviewer_seat UNION SELECT reviewer FROM attempt UNION "
    "SELECT reviewer FROM hypothesis UNION SELECT reviewer FROM exclusion ORDER BY 1",
}


def names_on_record(ledger: Ledger, what: Named) -> tuple[str, ...]:
    """Every setting, target or reviewer that an entry names, sorted. It looks through whole tables."""
    with ledger.looking() as connection:
        return tuple(str(row[0]) for row in connection.execute(text(_NAMES[what])))
