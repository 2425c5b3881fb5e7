"""Template text that was left as `committee new` wrote it: nobody should pay for a review of it."""

import re
from pathlib import Path

from committee.proposals.complaint import Complaint, error, note
from committee.proposals.folder import CRITERIA, HEADER, TEXT
from committee.proposals.includes import KERNEL
from committee.shipped import TEMPLATES
from committee.vocabulary.proposal import FrozenRevision, LoadedProposal

SOURCES = (".cu", ".c")
PLACE = re.compile(rb"\{\{\w+\}\}")  # what `committee new` fills in
MARK = "Replace this"  # every place of a template that waits for words begins so


def left_over(proposal: LoadedProposal, revision: FrozenRevision) -> list[Complaint]:
    """One complaint for each file in which the template's own words still stand, and what to write instead."""
    files, shipped = dict(revision.files), TEMPLATES / proposal.header.kind
    return [
        *_settings(proposal),
        *_text(files.get(TEXT, b"").decode("utf-8", errors="replace"), shipped / TEXT),
        *(
            error(path, "it is the template's example; put the source there as the server compiles it")
            for path in files
            if path.startswith(KERNEL) and _is_source(path) and _same(files[path], shipped / path)
        ),
        *(
            note(
                path,
                "it is the template's own help and reviewers would get it as it is; remove it once you have read it",
            )
            for path in files
            if path.endswith("/README.md") and _same(files[path], shipped / path)
        ),
    ]


def _settings(proposal: LoadedProposal) -> list[Complaint]:
    found: list[Complaint] = []
    if proposal.header.title.startswith(MARK):
        found.append(error(HEADER, "title is still the template's; write one line that tells people what it is about"))
    if proposal.header.question.startswith(MARK):
        found.append(error(HEADER, "question is still the template's; write the one question that reviewers are asked"))
    if (proposal.criteria.numerics.reason or "").startswith(MARK):
        found.append(
            error(CRITERIA, "numerics.reason is still the template's; write why identical text is not asked for")
        )
    return found


def _text(text: str, template: Path) -> list[Complaint]:
    """PROPOSAL.md: lines of the template that wait for words, and a text that is nothing but headings."""
    waiting = {line.strip() for line in template.read_text(encoding="utf-8").splitlines() if MARK in line}
    lines = [line.strip() for line in text.splitlines()]
    left = [number for number, line in enumerate(lines, 1) if line in waiting or line.startswith(f"{MARK}:")]
    if left:
        which = f"line {left[0]} is" if len(left) == 1 else f"lines {', '.join(map(str, left))} are"
        return [error(TEXT, f"{which} still the template's; write there what each asks for, or take it out")]
    if any(lines) and not any(line and not line.startswith("#") for line in lines):
        return [error(TEXT, "it holds headings only; write what was measured, what is known and what is not")]
    return []


def _is_source(path: str) -> bool:
    """The server's source itself; the other files of the task may well stay as they are."""
    return path.count("/") == 1 and path.endswith(SOURCES)


def _same(content: bytes, template: Path) -> bool:
    """Whether it is the template, whatever its places were filled with."""
    if not template.is_file():
        return False
    fixed = (re.escape(part) for part in PLACE.split(template.read_bytes()))
    return re.fullmatch(b".+?".join(fixed), content, re.DOTALL) is not None
