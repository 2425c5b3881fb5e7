"""Writes the site into a folder of its own; a page whose inputs are those of last time is not made again."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from committee.report.history import read_history
from committee.report.outlook import NOTHING_KNOWN, Outlook
from committee.report.site.pages import More, Page, nothing_more, pages
from committee.vocabulary.language import Language
from harness.procfs import json_of
from ledger.store import Ledger

LIST = "site.json"  # beside the pages: what each was made of, and the hash of its bytes
FORMAT = 1


class SiteError(ValueError):
    """The folder is not one that a site may be written into."""


@dataclass(frozen=True)
class Written:
    """What a run of the site did."""

    made: int
    kept: int
    removed: int


@dataclass(frozen=True)
class Listed:
    """What stands in a site's folder since last time."""

    state: str  # hash of everything that all pages were made of
    pages: dict[str, dict[str, str]]  # by file: hash of its inputs, hash of its bytes


def write_site(
    ledger: Ledger,
    folder: Path,
    language: Language = Language.EN,
    outlook: Outlook = NOTHING_KNOWN,
    more: More = nothing_more,
) -> Written:
    """Bring a folder up to date with a ledger. Raises SiteError for a folder that holds something else.

    Pages that this site wrote earlier and does not have any more are removed; no other file is ever touched.
    """
    before, making, head = _read_list(folder), _making(language), ledger.head()
    state = sha256(f"{making} {head} {outlook}".encode(errors="backslashreplace")).hexdigest()
    if before.state == state and all(_hash(folder / name) == told["content"] for name, told in before.pages.items()):
        return Written(0, len(before.pages), 0)
    folder.mkdir(parents=True, exist_ok=True)
    with ledger.kept_open():
        history = read_history(ledger)
        now, made = _bring_up(folder, pages(history, language, outlook, more), before, making)
    gone = [name for name in before.pages if name not in now and (folder / name).is_file()]
    if (history.head_seq, history.head_id) != ((head.seq, head.id) if head else (0, "")):
        state = ""  # somebody appended meanwhile
    told = {"format": FORMAT, "state": state, "pages": now}
    _replace(folder / LIST, json.dumps(told, indent=0, sort_keys=True).encode())
    for name in gone:
        (folder / name).unlink()
    return Written(made, len(now) - made, len(gone))


def _bring_up(
    folder: Path, wanted: Sequence[Page], before: Listed, making: str
) -> tuple[dict[str, dict[str, str]], int]:
    """Make what is not there as it should be; what stands now, and how many were made."""
    now: dict[str, dict[str, str]] = {}
    made = 0
    for page in wanted:
        inputs = sha256(f"{making} {page.fingerprint}".encode()).hexdigest()
        last = before.pages.get(page.file)
        if last is not None and last["inputs"] == inputs and last["content"] == _hash(folder / page.file):
            now[page.file] = last
            continue
        text = page.text().encode(errors="replace")
        _replace(folder / page.file, text)
        now[page.file] = {"inputs": inputs, "content": sha256(text).hexdigest()}
        made += 1
    return now, made


def _read_list(folder: Path) -> Listed:
    """What the last run wrote. Raises SiteError."""
    if folder.exists() and not folder.is_dir():
        raise SiteError(f"{str(folder)!r} is a file; name a folder for the site")
    listed = folder / LIST
    if not listed.is_file():
        if folder.is_dir() and any(folder.iterdir()):
            raise SiteError(f"{str(folder)!r} is not empty and holds no {LIST}; name a new folder, or that of a site")
        return Listed("", {})
    try:
        read: Any = json_of(listed.read_text(encoding="utf-8"))
        kept = {
            str(name): {"inputs": str(told["inputs"]), "content": str(told["content"])}
            for name, told in read["pages"].items()
            if Path(name).name == name
        }
        return Listed(str(read["state"]), kept) if read["format"] == FORMAT else Listed("", {})
    except (ValueError, KeyError, TypeError, AttributeError):
        return Listed("", {})  # a list that cannot be read only costs that every page is made again


def _making(language: Language) -> str:
    """Hash of everything in this package that pages are made with, and the language."""
    digest = sha256(language.value.encode())
    for file in sorted(_sources(files("committee.report")), key=str):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def _sources(folder: Traversable) -> list[Traversable]:
    found: list[Traversable] = []
    for one in folder.iterdir():
        if one.is_dir() and not one.name.startswith("__"):
            found += _sources(one)
        elif one.name.endswith((".py", ".j2", ".toml", ".css")):
            found.append(one)
    return found


def _hash(file: Path) -> str | None:
    return sha256(file.read_bytes()).hexdigest() if file.is_file() else None


def _replace(file: Path, content: bytes) -> None:
    """Whole or not at all, whoever is killed meanwhile."""
    beside = file.with_name(f".{file.name}.new")
    beside.write_bytes(content)
    beside.replace(file)
