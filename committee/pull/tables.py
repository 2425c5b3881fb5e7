"""Step-time tables of a revision: `evidence/step-time*.toml`. Pure."""

from collections.abc import Mapping

from committee.vocabulary.steps import StepTable
from harness.vocabulary.base import parse_toml

PREFIX, SUFFIX = "evidence/step-time", ".toml"


def step_tables(files: Mapping[str, bytes]) -> tuple[StepTable, ...]:
    """Every table, sorted by file name. Raises BadFileError with one sentence."""
    return tuple(
        _table(path, content)
        for path, content in sorted(files.items())
        if path.startswith(PREFIX) and path.endswith(SUFFIX)
    )


def _table(path: str, content: bytes) -> StepTable:
    return StepTable.from_mapping(parse_toml(content, path), path)
