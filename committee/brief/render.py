"""Rendering a brief and writing it into the proposal's folder."""

from functools import cache
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

from committee.brief.content import Brief, BriefInput
from committee.brief.escape import code, markdown, one_line
from committee.brief.view import View
from committee.brief.words import words_of

MARKDOWN, HTML = "brief.md", "brief.html"
TRIES = 20  # against another process that writes the same brief


def render(given: BriefInput) -> Brief:
    """Both renderings; byte-identical for identical input."""
    say = words_of(given.language)
    values = {"given": given, "view": View(given, say), "say": say}
    return Brief(
        markdown=_environment(escaped=False).get_template(f"{MARKDOWN}.j2").render(values),
        html=_environment(escaped=True).get_template(f"{HTML}.j2").render(values),
    )


def write(folder: Path, brief: Brief) -> tuple[Path, Path]:
    """Write brief.md and brief.html; a link that stands there is replaced, never followed. Raises OSError."""
    first, second = folder / MARKDOWN, folder / HTML
    _put(first, brief.markdown)
    _put(second, brief.html)
    return first, second


def _put(path: Path, content: str) -> None:
    """A file of our own making; where another process makes it at the same moment, the last one stands."""
    for tries_left in range(TRIES, 0, -1):
        path.unlink(missing_ok=True)
        try:
            with path.open("x", encoding="utf-8", newline="\n") as out:
                out.write(content)
        except FileExistsError:
            if tries_left == 1:
                raise
        else:
            return


@cache
def _environment(*, escaped: bool) -> Environment:
    """HTML is escaped by jinja2; in Markdown everything that is not ours goes through `md` or `code`."""
    made = Environment(
        loader=PackageLoader("committee.brief", "templates"),
        autoescape=escaped,  # noqa: S701 - off for Markdown only, which has an escape of its own
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters.update({"md": markdown, "code": code, "line": one_line})
    return made
