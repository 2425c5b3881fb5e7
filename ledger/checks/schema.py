"""Compares tables, indexes and triggers with what the migrations make."""

from collections.abc import Iterable

from sqlalchemy import Connection, Table, inspect

from ledger import migrations
from ledger.database import Database
from ledger.findings import Finding, FindingKind


def check_schema(database: Database, connection: Connection) -> list[Finding]:
    """What is missing, changed or added, against what the migrations made that this file has seen.

    A file of an earlier release has seen fewer of them, and is whole without the tables that came later.
    """
    known = tuple((one.number, one.name) for one in migrations.MIGRATIONS)
    seen = migrations.applied(connection) if inspect(connection).has_table(migrations.REGISTRY_TABLE.name) else ()
    whole = bool(seen) and seen == known[: len(seen)]
    found, wanted = database.schema(connection), database.expected_schema(len(seen) if whole else len(known))
    findings = []
    for (kind, name), sql in wanted.items():
        if found.get((kind, name)) == sql:
            continue
        said = f"{kind} {name} is " + ("not as the migrations made it" if (kind, name) in found else "gone")
        what = FindingKind.MISSING_TRIGGER if kind == "trigger" else FindingKind.CHANGED_SCHEMA
        findings.append(Finding(what, name, said))
    for kind, name in found.keys() - wanted.keys():
        said = f"{kind} {name} was added; no migration makes it"
        findings.append(Finding(FindingKind.CHANGED_SCHEMA, name, said))
    if not whole and not any(finding.where == "migration" for finding in findings):
        said = "table migration does not name the migrations that made this file"
        findings.append(Finding(FindingKind.CHANGED_SCHEMA, "migration", said))
    return findings


def tables_there(connection: Connection, tables: Iterable[Table]) -> tuple[Table, ...]:
    """Those of the tables that the database has: a file of an earlier release lacks what came later."""
    names = set(inspect(connection).get_table_names())
    return tuple(table for table in tables if table.name in names)
