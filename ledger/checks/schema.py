"""Compares tables, indexes and triggers with what the migrations make."""

from functools import cache

from sqlalchemy import Connection

from ledger import migrations, sqlite
from ledger.findings import Finding, FindingKind


@cache
def expected_schema() -> dict[tuple[str, str], str]:
    """The schema of a new ledger."""
    engine = sqlite.memory_engine()
    with sqlite.writing(engine) as connection:
        migrations.upgrade(connection)
        return sqlite.schema_of(connection)


def check_schema(connection: Connection) -> list[Finding]:
    """What is missing, changed or added."""
    found, wanted = sqlite.schema_of(connection), expected_schema()
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
    if not any(finding.where == "migration" for finding in findings):
        known = tuple((one.number, one.name) for one in migrations.MIGRATIONS)
        if migrations.applied(connection) != known:
            said = "table migration does not name the migrations that made this file"
            findings.append(Finding(FindingKind.CHANGED_SCHEMA, "migration", said))
    return findings
