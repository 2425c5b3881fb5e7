"""The [ledger] table of a workspace's committee.toml: whether its ledger is a file of the folder or a database by URL.

The bench reads this table alone: who reviews is none of its business, and a mistake there stops no measurement.
"""

from pathlib import Path

from pydantic import Field

from harness.vocabulary.base import BadFileError, Value, read_toml

CONFIG = "committee.toml"
VARIABLE = r"^[A-Z][A-Z0-9_]{0,79}$"  # upper case only, so that a pasted URL is refused


class LedgerSettings(Value):
    """Where the workspace's ledger is."""

    url_env: str | None = Field(
        default=None,
        pattern=VARIABLE,
        description="name of the environment variable that holds the database's URL; without it, the file records.db",
    )


def ledger_settings(folder: Path) -> LedgerSettings:
    """As committee.toml says; the file records.db where there is no committee.toml. Raises BadFileError."""
    path = folder / CONFIG
    if not path.exists():
        return LedgerSettings()
    table = read_toml(path).get("ledger", {})
    if not isinstance(table, dict):
        raise BadFileError(f'{str(path)!r}: ledger must be a table; write [ledger] and url_env = "NAME" under it')
    return LedgerSettings.from_mapping(table, f"{path} [ledger]")
