"""Renders the page: one HTML text without script and without anything from elsewhere. Same ledger, same bytes."""

from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from committee.report import words
from committee.report.entries import Category, dated_entries, not_shown_back
from committee.report.history import History, read_history
from committee.report.lines import Question, questions
from committee.report.plot_rows import placebo_band
from committee.report.plots import NARROW_PX, WIDE_PX, launch_plot
from committee.report.runs import RunView, run_views
from committee.report.strips import Axis, axis, strip
from ledger.entries import Verdict
from ledger.store import Ledger

SIGNS = {"FASTER": "▲", "SLOWER": "▼", "SAME": "＝", "AMBIGUOUS": "?"}  # a second sign beside colour


def build(ledger: Ledger) -> str:
    """The whole report of a ledger. Raises PlotLibraryMissingError where the extra `review` is not installed."""
    return render(read_history(ledger))


def render(history: History) -> str:
    """The page of a history."""
    views = run_views(history)
    entries = dated_entries(history, views)
    page = environment().get_template("report.html.j2")
    return page.render(
        history=history,
        questions=questions(history, views),
        categories=[(category, slug(category), entries[category]) for category in Category],
        alarms=not_shown_back(history),
        style=Markup(files("committee.report").joinpath("report.css").read_text(encoding="utf-8")),  # noqa: S704
    )


def environment() -> Environment:
    """Jinja with escaping always on; every text that is put in is also cleaned of control characters."""
    made = Environment(
        loader=PackageLoader("committee.report"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(
        percent=words.percent, signed=words.signed, minute=words.minute, day=words.day, short=words.short,
        number=words.number,
    )  # fmt: skip
    made.globals.update(
        span=words.span, metric_words=words.metric_words, quantity=words.quantity, exact=words.exact, unit=words.unit,
        plural=words.plural, question_axis=question_axis, strip=strip, sign=SIGNS.get, plot=plot, band=placebo_band,
    )  # fmt: skip
    return made


def finalize(value: object) -> object:
    """Clean what comes from outside; markup made by the report itself stays as it is."""
    return words.clean(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def slug(category: Category) -> str:
    """The anchor of a category."""
    return category.name.lower()


def question_axis(question: Question) -> Axis:
    """One axis for all strips of a question, so that they can be compared by eye."""
    verdicts: list[Verdict] = [line.verdict for line in question.lines if line.verdict is not None]
    return axis(verdicts)


def plot(view: RunView, size: str) -> Markup:
    """A run's plot, drawn for a wide or a narrow screen; the drawing escapes its own texts."""
    return Markup(launch_plot(view, WIDE_PX if size == "wide" else NARROW_PX))  # noqa: S704
