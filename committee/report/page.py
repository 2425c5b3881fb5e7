"""Renders the page: one HTML text without script and without anything from elsewhere. Same ledger, same bytes."""

from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from committee.report import words
from committee.report.entries import IN_FORCE, Category, dated_entries
from committee.report.history import History, read_history
from committee.report.lines import Question, questions
from committee.report.outlook import NOTHING_KNOWN, Outlook
from committee.report.plot_rows import placebo_words
from committee.report.plots import NARROW_PX, WIDE_PX, launch_plot
from committee.report.runs import RunView, run_views
from committee.report.standing import missing
from committee.report.strips import Axis, axis, strip
from harness.workflow.going_on import no_use_in_more
from ledger.entries import Verdict
from ledger.store import Ledger

SIGNS = {"FASTER": "▲", "SLOWER": "▼", "SAME": "＝", "AMBIGUOUS": "?"}  # a second sign beside colour


def build(ledger: Ledger, outlook: Outlook = NOTHING_KNOWN) -> str:
    """The whole report of a ledger; `outlook` is what measuring more would cost.

    Raises PlotLibraryMissingError where the extra `review` is not installed.
    """
    return render(read_history(ledger), outlook)


def render(history: History, outlook: Outlook = NOTHING_KNOWN) -> str:
    """The page of a history."""
    views = run_views(history)
    entries = dated_entries(history, views)
    page = environment().get_template("report.html.j2")
    return page.render(
        history=history,
        questions=questions(history, views, outlook),
        categories=[(category, slug(category), entries[category]) for category in Category],
        missing=missing(history),
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
        plural=words.plural, question_axis=question_axis, strip=strip, sign=SIGNS.get, plot=plot,
        placebo=placebo_words, in_force=IN_FORCE, more=more_words,
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


def more_words(view: RunView, verdict: Verdict) -> str:
    """What would settle an AMBIGUOUS, as it was known when the run ended; what it costs now stands in the lines."""
    if useless := no_use_in_more(view.begun.payload.criteria, verdict):
        return useless
    return f"{words.plural(verdict.more_blocks, 'more block')} would settle it" if verdict.more_blocks else ""


def plot(view: RunView, size: str) -> Markup:
    """A run's plot, drawn for a wide or a narrow screen; the drawing escapes its own texts."""
    return Markup(launch_plot(view, WIDE_PX if size == "wide" else NARROW_PX))  # noqa: S704
