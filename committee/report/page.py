"""Renders pages: HTML without script and without anything from elsewhere. Same ledger, same language, same bytes."""

from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from typing import Any, Protocol

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from committee.importing.conflicts import conflicts
from committee.report import words
from committee.report.cleaning import clean
from committee.report.confidence import bounds_of_lines, bounds_of_run
from committee.report.entries import Category, claims_of, dated_entries, doubt_marks
from committee.report.following import followed_entries
from committee.report.guarded import guard_words
from committee.report.history import History, read_history
from committee.report.kernels import kernel_views
from committee.report.lines import Question, questions
from committee.report.next_step import no_use
from committee.report.notes import NotesPage
from committee.report.outlook import NOTHING_KNOWN, Outlook
from committee.report.phrases import Phrase, counted, listed, marked_up, said
from committee.report.plot_rows import placebo_words
from committee.report.plots import launch_plot
from committee.report.runs import RunView, run_views
from committee.report.standing import missing
from committee.report.strips import Axis, axis, strip
from committee.vocabulary.language import Language
from harness.vocabulary.criteria import MOST_RUN_BLOCKS
from harness.workflow.going_on import no_run_settles
from ledger.entries import Verdict
from ledger.store import Ledger

SIGNS = {"FASTER": "▲", "SLOWER": "▼", "SAME": "＝", "AMBIGUOUS": "?"}  # a second sign beside colour
GLOSSED = frozenset({*SIGNS, "VALID", "NOT_ARMED", "NOT_SHOWN_ENGAGED", "INPUT_WRONG", "CONTAMINATED", "INVALID",
                     "IDENTICAL", "CHANGED", "UNKNOWN"})  # fmt: skip
HTML_LANGUAGES = {Language.EN: "en", Language.ZH_TW: "zh-Hant-TW"}
BAD_MARKS = ("doubt_", "overturned_by", "evidence_contradicted", "not_shown_back", "quorum_not_reached", "supports_no")


class Links(Protocol):
    """Where pages of the same site lie."""

    def to(self, kind: str, name: str | None) -> str:
        """Address of a page, empty where there is none."""
        ...


@dataclass(frozen=True)
class NoLinks:
    """A page that stands alone."""

    def to(self, _kind: str, _name: str | None) -> str:
        """Nowhere."""
        return ""


def build(ledger: Ledger, outlook: Outlook = NOTHING_KNOWN, language: Language = Language.EN) -> str:
    """The whole report of a ledger as one page; `outlook` is what measuring more would cost."""
    with ledger.kept_open():
        return render(read_history(ledger), outlook, language)


def render(history: History, outlook: Outlook = NOTHING_KNOWN, language: Language = Language.EN) -> str:
    """The page of a history."""
    views = run_views(history)
    entries = dated_entries(history, views, followed_entries(history))
    return environment(history, language).get_template("report.html.j2").render(
        history=history,
        questions=questions(history, views, outlook),
        categories=[(category, entries[category]) for category in Category],
        missing=missing(history),
        kernels=kernel_views(history),
        claims_of=partial(claims_of, history, views),
        imported=[NotesPage(item) for item in history.pages],
        disagreeing=conflicts(item.payload for item in history.pages),
    )  # fmt: skip


def environment(history: History, language: Language, links: Links | None = None) -> Environment:
    """Jinja with escaping always on; what is put in is said in the language and cleaned of control characters."""
    made = Environment(
        loader=PackageLoader("committee.report"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=partial(finalize, language=language),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(
        percent=words.percent, signed=words.signed, minute=words.minute, day=words.day, short=words.short,
        number=words.number,
    )  # fmt: skip
    made.globals.update(
        say=Phrase, counted=counted, listed=listed, code=code, spoken=partial(said, language=language),
        span=words.span, metric_words=words.metric_words, quantity=words.quantity, exact=words.exact, unit=words.unit,
        question_axis=question_axis, strip=strip, sign=SIGNS.get, glossed=GLOSSED, launch_plot=launch_plot,
        placebo=placebo_words, guard_words=guard_words, bounds_of_run=bounds_of_run,
        bounds_of_lines=bounds_of_lines, more=more_words, mark_kind=mark_kind,
        doubt_marks=partial(doubt_marks, history),
        links=links or NoLinks(), html_lang=HTML_LANGUAGES[language], style=style(),
    )  # fmt: skip
    return made


def finalize(value: Any, language: Language) -> Markup:
    """Said in the language, escaped and cleaned; markup made by the report itself stays as it is."""
    return marked_up(value if isinstance(value, str | tuple) else str(value), language)


def style() -> Markup:
    """The style of every page, to stand inside it."""
    return Markup(files("committee.report").joinpath("report.css").read_text(encoding="utf-8"))  # noqa: S704 - our own


def code(text: str) -> Markup:
    """A command or an identifier as code, escaped and cleaned."""
    return Markup("<code>{}</code>").format(escape(clean(text)))


def mark_kind(mark: str) -> str:
    """The class of a mark: good, bad, or none of its own."""
    key = mark.key if isinstance(mark, Phrase) else ""
    return "good" if key == "in_force" else "bad" if key.startswith(BAD_MARKS) else ""


def question_axis(question: Question) -> Axis:
    """One axis for all strips of a question, so that they can be compared by eye."""
    verdicts: list[Verdict] = [line.verdict for line in question.lines if line.verdict is not None]
    return axis(verdicts)


def more_words(view: RunView, verdict: Verdict) -> str:
    """What would settle an AMBIGUOUS, as it was known when the run ended; what it costs now stands in the lines."""
    if useless := no_use(view.begun.payload, verdict):
        return useless
    if no_run_settles(verdict):
        return Phrase("no_run_settles", most=MOST_RUN_BLOCKS)
    return Phrase("would_settle", more=counted("more_blocks", verdict.more_blocks)) if verdict.more_blocks else ""
