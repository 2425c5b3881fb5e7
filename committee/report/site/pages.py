"""Pure until a page is asked for its text: every page of the site, and what it is made of."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import sha256

from jinja2 import Environment

from committee.report.entries import DatedEntry
from committee.report.history import History
from committee.report.outlook import NOTHING_KNOWN, Outlook
from committee.report.page import environment
from committee.report.site.imported import imported_index, notes_pages
from committee.report.site.kernels import kernel_pages
from committee.report.site.measured import run_pages
from committee.report.site.names import SiteLinks, file_name
from committee.report.site.overview import by_month, overview
from committee.report.site.proposals import proposal_pages
from committee.report.site.record import Content, Record
from committee.report.site.resting import rests_page
from committee.report.site.settings import setting_pages
from committee.report.site.targets import target_pages
from committee.vocabulary.language import Language

More = Callable[[Record], Iterable[Content]]  # pages that somebody else makes of the same record


@dataclass(frozen=True)
class Month:
    """Dated entries of one month, newest first."""

    name: str
    entries: tuple[DatedEntry, ...]


@dataclass(frozen=True)
class Page:
    """One page: its file, and what makes it. The same inputs under the same templates give the same bytes."""

    kind: str
    name: str  # empty for pages of which there is one
    inputs: object
    templates: Environment

    @property
    def file(self) -> str:
        """Name of the file in the site's folder."""
        return file_name(self.kind, self.name)

    @property
    def fingerprint(self) -> str:
        """Hash of what it is made of."""
        navigation = self.templates.globals["links"]
        has_imported = isinstance(navigation, SiteLinks) and navigation.to("imported", "")
        return sha256(repr((self.inputs, has_imported)).encode(errors="backslashreplace")).hexdigest()

    def text(self) -> str:
        """The page. Reads a run's launches where it shows them."""
        template = self.templates.get_template(f"site/{self.kind}.html.j2")
        return template.render(page=self.inputs, here=(self.kind, self.name))


def nothing_more(_record: Record) -> Iterable[Content]:
    """No pages beyond the report's own."""
    return ()


def pages(
    history: History, language: Language, outlook: Outlook = NOTHING_KNOWN, more: More = nothing_more
) -> tuple[Page, ...]:
    """Every page of a history, in a language, with what others add."""
    record = Record.of(history, outlook)
    found = [*_contents(record), *more(record)]
    links = SiteLinks.of((one.kind, one.name) for one in found)
    templates = environment(history, language, links)
    return tuple(Page(one.kind, one.name, one.inputs, templates) for one in found)


def _contents(record: Record) -> Iterable[Content]:
    yield Content("index", "", overview(record))
    yield Content("rests", "", rests_page(record))
    imported = imported_index(record)
    if imported.pages or imported.references:
        yield Content("imported", "", imported)
    for month, entries in by_month(record).items():
        yield Content("month", month, Month(month, entries))
    yield from (Content("target", page.name, page) for page in target_pages(record))
    yield from (Content("proposal", page.name, page) for page in proposal_pages(record))
    yield from (Content("run", page.name, page) for page in run_pages(record))
    yield from (Content("setting", page.name, page) for page in setting_pages(record))
    yield from (Content("kernel", page.name, page) for page in kernel_pages(record))
    yield from (Content("notes", page.name, page) for page in notes_pages(record))
