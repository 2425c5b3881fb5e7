"""The page: self-contained, escaped, the same for the same ledger, and it says what it must."""

import re

from committee.importing.page import Named, pieces
from committee.report.page import build
from ledger.entries import Exclusion, ImportedPage, NotApplied, Parked
from ledger.store import Ledger
from tests.committee.report.reading import TAGS, read, words
from tests.committee.report.sample import (
    KNOBS,
    REFUSED,
    TARGET,
    Effect,
    Plan,
    append_acceptance,
    append_proposal,
    append_review,
    append_run,
    fingerprint,
    state,
)

EVIL = "</style></svg></text><script>alert(1)</script><img src=x onerror=alert(2)>\"' {{ 7*7 }} \x1b[31m\u202e end"


def test_the_same_ledger_gives_the_same_bytes(ledger: Ledger, page: str) -> None:
    assert build(ledger) == page


def test_nothing_comes_from_elsewhere_and_nothing_runs(page: str) -> None:
    seen = read(page)
    assert seen.tags <= TAGS
    for _, name, value in seen.attributes:
        assert not name.startswith("on"), name
        assert name != "src"
        assert "url(" not in value
        if name.endswith("href"):
            assert value.startswith("#")
    assert "@import" not in page
    assert not re.search(r"url\(", page)
    assert "default-src 'none'" in page


def test_the_glance_says_number_certainty_and_next_step(page: str) -> None:
    text = words(page)
    assert "parallel-8 +20.3 % +18.4 to +22.3 % 81.1 → 97.6 tok/s" in text
    assert "▲ FASTER text IDENTICAL accepted" in text
    assert text.count("Here: bounds of a change one-sided at 99 % each, 98 % between them.") == 1
    assert "no number ✕ INVALID invalid start_refused: " + REFUSED in text


def test_an_acceptable_arm_shows_the_command(empty: Ledger) -> None:
    append_proposal(empty, KNOBS, "title", "question")
    append_run(empty, Plan(run="measure-run-one", proposal=KNOBS, effects={"one": Effect(40.0)}, sd_pct=0.5))
    assert f'accept it committee accept {KNOBS} one --reason "..."' in words(build(empty))


def test_every_category_is_on_the_page_and_linked(page: str) -> None:
    text = words(page)
    for heading in (
        "Measurements 3", "Acceptances 2", "Reviews and briefs 1", "Exclusions 1",
        "Production taken down and restored 4", "Parked and not applied 2", "Voided runs 1",
    ):  # fmt: skip
        assert heading in text
    seen = read(page)
    anchors = {value for _, name, value in seen.attributes if name == "id"}
    assert {value[1:] for _, name, value in seen.attributes if name == "href"} <= anchors


def test_ids_are_unique(page: str) -> None:
    ids = [value for _, name, value in read(page).attributes if name == "id"]
    assert len(ids) == len(set(ids))


def test_superseded_overturned_void_and_older_rows_are_marked(page: str) -> None:
    text = words(page)
    for mark in (
        "superseded by parallel-8 on 20", "ubatch-1024: overturned by the run of 20", "void: supports no verdict",
        "measured before the baseline changed to parallel-4 on 20",
        "not yet started with: production has not been started with it",
    ):  # fmt: skip
        assert mark in text


def test_recorded_and_simulated_things_are_labelled(page: str, empty: Ledger) -> None:
    assert "glm recorded" in words(page)
    assert "gemma small CPU model" in words(page)
    argv = ("python", "-m", "harness.engines.simulator")
    append_run(empty, Plan(run="measure-run-one", proposal=None, effects={"one": Effect(40.0)}, argv=argv))
    assert "simulated server" in words(build(empty))


def test_missing_production_is_the_first_thing_said(empty: Ledger) -> None:
    empty.append(state("measure-20260804-knobs", "taken_down", "SIGTERM sent"))
    text = words(build(empty))
    assert f"Production of {TARGET} is not shown to be back." in text
    assert f"harness restore {TARGET}" in text
    assert text.index("not shown to be back") < text.index("Measurements None.")


def test_an_empty_ledger_says_how_to_begin(empty: Ledger) -> None:
    text = words(build(empty))
    assert "Nothing is recorded yet. Start with committee new SLUG" in text
    assert text.count("None.") == 7


def hostile_page(empty: Ledger) -> str:
    """A page whose every free text tries to break out."""
    append_proposal(empty, KNOBS, EVIL, EVIL)
    append_review(empty)
    append_proposal(empty, KNOBS, EVIL, EVIL)
    plan = Plan(run="measure-hostile", proposal=KNOBS, effects={EVIL: Effect(40.0), "b" + EVIL: Effect(refused=EVIL)})
    measured = append_run(empty, plan)
    append_acceptance(empty, EVIL, plan, measured, None)
    empty.append(Parked(subject=EVIL, proposal=KNOBS, reason=EVIL, person=EVIL))
    empty.append(Exclusion(run="review-hostile", attempt=None, reviewer=EVIL, reason="failed", detail=EVIL))
    empty.append(NotApplied(arm=fingerprint(EVIL), arm_name=EVIL, target=EVIL, run=plan.run, reason=EVIL, person=EVIL))
    empty.append(state("measure-hostile", "taken_down", EVIL))
    return build(empty)


def test_text_from_outside_stays_text(empty: Ledger) -> None:
    hostile = hostile_page(empty)
    seen = read(hostile)
    assert seen.tags <= TAGS
    assert not any(name.startswith("on") or name == "src" for _, name, _ in seen.attributes)
    assert hostile.count("<script") == 0
    assert hostile.count("</style>") == 1
    assert hostile.count("&lt;script&gt;alert(1)") > 10
    assert "{{ 7*7 }}" in hostile
    assert "\x1b" not in hostile
    assert "\u202e" not in hostile


def test_imported_tables_and_what_sources_say_differently_stand_on_the_page(empty: Ledger) -> None:
    assert 'id="imported"' not in build(empty)
    for title, count in (("page", "48"), ("telemetry", "49")):
        notes = f"| line | number |\n|---|---|\n| single | <b>68.1</b> |\n{count} layers\n"
        source = empty.put_blob(notes.encode(), "text/markdown")
        named = pieces(notes, (Named.from_words(r"recurrent layers=(\d+) layers"),))
        empty.append(ImportedPage(title=title, language="en", source=source, pieces=named, person="Ada"))
    page = build(empty)
    text = words(page)
    assert "Sources disagree recurrent layers 48: page 49: telemetry" in text
    assert "imported, not measured here" in text and "<b>68.1" in text and "<b>68.1" not in page
    assert 'href="#imported"' in page
