"""What a check says about a proposal: one sentence, where, and how much it matters."""

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """An error stops a paid call; a warning and a note do not."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True)
class Complaint:
    """One finding."""

    severity: Severity
    where: str  # file inside the proposal, with the line where there is one
    sentence: str  # what is wrong and what to do


def error(where: str, sentence: str) -> Complaint:
    """A finding that stops a paid call."""
    return Complaint(Severity.ERROR, where, sentence)


def warning(where: str, sentence: str) -> Complaint:
    """A finding that a person should see before going on."""
    return Complaint(Severity.WARNING, where, sentence)


def note(where: str, sentence: str) -> Complaint:
    """Something worth knowing."""
    return Complaint(Severity.NOTE, where, sentence)
