"""What the report says of a run's guards: acceptance's own bound and margin, never the word for speed."""

import math

import pytest
from scipy import stats

from committee.report.guarded import guard_words, said_of_guards
from committee.report.runs import RunView
from committee.report.words import number
from harness.verdicts.guards import guard_holds
from harness.vocabulary.criteria import Guard
from harness.vocabulary.outcome import Metric
from tests.committee.report.sample import LEVEL, fingerprint

GUARD = Guard(metric=Metric.USER_TOK_S, load=1, margin_pct=10)


def test_a_guard_has_its_word_its_bound_and_its_margin(views: tuple[RunView, ...]) -> None:
    arm = fingerprint("parallel-4")
    (seen,) = (item.payload for item in views[0].guards(arm))
    interval = seen.interval
    assert interval is not None and guard_holds(seen, GUARD, LEVEL)
    half = stats.t.isf(LEVEL, interval.degrees_of_freedom) * interval.launch_sd_pct / 100 * math.sqrt(1.5 / seen.blocks)
    bound = 100 * (math.exp(half) / (1 + interval.estimate_pct / 100) - 1)
    (words,) = guard_words(views[0], arm)
    assert words.startswith("rate per user at 1 user: held (")
    assert words.endswith(f" %, at worst {number(bound)} % worse, margin 10 %)")


@pytest.mark.parametrize(
    ("estimate_pct", "said"),
    [(-8.0, "open (−8.0 %, at worst "), (-30.0, "broken (−30.0 %,"), (9.9, "% better, margin")],
)
def test_neither_shown_is_open_and_beyond_is_broken(views: tuple[RunView, ...], estimate_pct: float, said: str) -> None:
    (seen,) = (item.payload for item in views[0].guards(fingerprint("parallel-4")))
    assert seen.interval is not None
    other = seen.interval.model_copy(update={"estimate_pct": estimate_pct})
    (words,) = said_of_guards(views[0].begun.payload.criteria, [seen.model_copy(update={"interval": other})])
    assert said in words


def test_a_guard_without_a_number_is_open(views: tuple[RunView, ...]) -> None:
    assert guard_words(views[0], fingerprint("v-cache-q8")) == (
        "rate per user at 1 user: open (no number, margin 10 %)",
    )
