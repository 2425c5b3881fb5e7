"""`committee import page|llama-bench FILE` and `committee imported`: a person's past, marked as not measured here."""

from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any

import typer

from committee.cli.workspaces import WorkspaceOption
from committee.importing.conflicts import conflicts
from committee.importing.llama_bench import BenchFile, read
from committee.importing.page import Named, named_later, pieces
from committee.workspace import Workspace
from harness.cli.speak import print_json, say
from harness.vocabulary.base import BadFileError
from ledger.entries import ImportedPage, MeasuringRun, Reference, Supersession
from ledger.store import Entry, Ledger

commands = typer.Typer(add_completion=False)

LARGEST_PAGE = 16 << 20  # bytes; a page is written by hand


class What(StrEnum):
    """What can be imported."""

    PAGE = "page"
    LLAMA_BENCH = "llama-bench"


@commands.command("import")
def bring(
    what: Annotated[What, typer.Argument(help="a page of notes, or a file of llama-bench results")],
    file: Annotated[Path, typer.Argument(help="the file")],
    title: Annotated[str, typer.Option(help="page: what it is called; default: the file's name")] = "",
    language: Annotated[str, typer.Option(help="page: language tag of its text, for example zh-TW")] = "und",
    quantity: Annotated[
        list[str] | None, typer.Option(help="page: NAME=EXPRESSION, a number to hold against other pages")
    ] = None,
    target: Annotated[str, typer.Option(help="llama-bench: the target that it is shown beside")] = "",
    person: Annotated[str | None, typer.Option(help="who imports; default: you on this machine")] = None,
    workspace: WorkspaceOption = None,
) -> None:
    """Bring in notes or another engine's results as history: imported, not measured here."""
    content = _content(file)
    place = Workspace.find(workspace)
    wanted = tuple(Named.from_words(words) for words in quantity or ())
    with place.ledger() as ledger:
        who, before = person or ledger.actor, _imported_before(ledger, content)
        if before is not None and isinstance(before.payload, ImportedPage) and what is What.PAGE and wanted:
            said = _name_later(ledger, before, before.payload, wanted, who)
        elif before is not None:
            raise BadFileError(f"{str(file)!r} was imported already, as entry {before.seq}{_kept(before, language)}")
        elif what is What.PAGE:
            found = pieces(_text(content, file), wanted)
            source = ledger.put_blob(content, "text/markdown")
            named = " ".join((title or file.name).split())
            page = ImportedPage(title=named, language=language, source=source, pieces=found, person=who)
            said = f"imported as entry {ledger.append(page).seq}: {len(found)} pieces of {named!r}"
        else:
            if not target:
                raise BadFileError("results of another engine stand beside a target; name it with --target")
            place.target(target)
            entry, made = _reference(ledger, target, read(_text(content, file), str(file)), content, who)
            said = f"imported as entry {entry.seq}: {len(made.results)} results beside {target}"
            for caution in made.cautions:
                say(f"! {caution}", style="yellow")
        say(f"{said}; not measured here")
        _tell_conflicts(ledger)


def _name_later(ledger: Ledger, before: Entry, page: ImportedPage, wanted: tuple[Named, ...], who: str) -> str:
    """The page once more with these numbers named, the former entry marked as replaced. Raises BadFileError."""
    found = named_later(page.pieces, wanted)
    names = ", ".join(one.name for one in wanted)
    if found == page.pieces:
        raise BadFileError(
            f"{names}: {page.title!r}, imported as entry {before.seq}, holds no such number that is not named already; "
            "correct the expression"
        )
    entry = ledger.append(page.model_copy(update={"pieces": found, "person": who}))
    why = f"the same page, with numbers named later: {names}"
    ledger.append(Supersession(subject=before.id, by=entry.id, reason=why, person=who))
    return f"imported again as entry {entry.seq}, in the place of entry {before.seq}: {page.title!r} with {names} named"


def _kept(before: Entry, language: str) -> str:
    """What becomes of the very same bytes brought once more."""
    page = before.payload
    if not isinstance(page, ImportedPage):
        return "; nothing was added"
    other = f" in {page.language!r}, which stays, not {language!r}" if language not in ("und", page.language) else ""
    return f"{other}; nothing was added (--quantity names numbers of it later)"


def _reference(ledger: Ledger, target: str, bench: BenchFile, content: bytes, who: str) -> tuple[Entry, Reference]:
    made = Reference(
        target=target,
        engine="llama-bench",
        build=bench.build,
        model=bench.model,
        source=ledger.put_blob(content, "text/plain"),
        results=bench.results,
        cautions=bench.cautions,
        person=who,
    )
    return ledger.append(made), made


@commands.command("imported")
def imported(
    workspace: WorkspaceOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="as JSON")] = False,
) -> None:
    """What was imported, other engines' results, and numbers on which sources disagree."""
    with Workspace.find(workspace).ledger() as ledger:
        pages = ledger.of(ImportedPage)
        references = ledger.of(Reference)
        if as_json:
            print_json(_plain(ledger))
            return
        for entry, page in pages:
            source = page.source.sha256[:12]
            later = max(one.seq for one, other in pages if other.source == page.source)
            replaced = "" if later == entry.seq else f", replaced by #{later}"
            say(f"#{entry.seq} {page.title}: {len(page.pieces)} pieces, {page.language}, source {source}{replaced}")
        for entry, reference in references:
            for line in _lines(entry.seq, reference):
                say(line)
        if not pages and not references:
            say("Nothing was imported.")
        _tell_conflicts(ledger)


def beside(ledger: Ledger, run: str) -> tuple[str, ...]:
    """Other engines' results for the run's target: shown under its table, never in it (lesson M12)."""
    targets = {planned.target for _, planned in ledger.of(MeasuringRun, run=run)}
    return tuple(
        line
        for target in sorted(targets)
        for entry, reference in ledger.of(Reference, target=target)
        for line in _lines(entry.seq, reference)
    )


def _lines(seq: int, reference: Reference) -> tuple[str, ...]:
    """One engine's results, a line each, under a line that says what they are."""
    lines = [
        f"#{seq} {reference.engine} {reference.build} beside {reference.target}: another engine's numbers, imported, "
        "not measured here and in no ranking"
    ]
    for one in reference.results:
        spread = "" if one.sd_tok_s is None else f" ± {one.sd_tok_s:.2f} inside one run"
        where = ", ".join(f"{name} {value}" for name, value in one.settings)
        lines.append(f"    {one.test}: {one.tok_s:.2f} tok/s{spread}{f' ({where})' if where else ''}")
    return (*lines, *(f"    ! {caution}" for caution in reference.cautions))


def _tell_conflicts(ledger: Ledger) -> None:
    for conflict in conflicts(page for _, page in ledger.of(ImportedPage)):
        say(f"! {conflict.words}", style="yellow")


def _plain(ledger: Ledger) -> dict[str, Any]:
    return {
        "pages": [{"seq": entry.seq, **page.as_json()} for entry, page in ledger.of(ImportedPage)],
        "references": [{"seq": entry.seq, **one.as_json()} for entry, one in ledger.of(Reference)],
        "conflicts": [one.words for one in conflicts(page for _, page in ledger.of(ImportedPage))],
    }


def _content(file: Path) -> bytes:
    if not file.is_file():
        raise BadFileError(f"{str(file)!r} is no file; check the name")
    if file.stat().st_size > LARGEST_PAGE:
        raise BadFileError(f"{str(file)!r} is larger than {LARGEST_PAGE} bytes; import it in parts")
    return file.read_bytes()


def _text(content: bytes, file: Path) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadFileError(f"{str(file)!r} is not UTF-8 text; save it as UTF-8") from error


def _imported_before(ledger: Ledger, content: bytes) -> Entry | None:
    """The newest entry of the very same bytes: they are one source, however often they are brought."""
    digest, found = sha256(content).hexdigest(), None
    for entry in ledger.entries(ImportedPage.kind, Reference.kind):
        one = entry.payload
        if isinstance(one, ImportedPage | Reference) and one.source.sha256 == digest:
            found = entry
    return found
