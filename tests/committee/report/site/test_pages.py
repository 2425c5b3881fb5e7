"""What each page of the site answers."""

from collections.abc import Mapping
from itertools import pairwise

import pytest

from tests.committee.report.reading import TAGS, read, words
from tests.committee.report.sample import BATCH, KNOBS, KNOBS_RUN, LATER_RUN, REFUSED

RUN = f"run-{LATER_RUN.run}.html"


def test_there_is_a_page_for_everything_that_people_ask_about(found: Mapping[str, str]) -> None:
    kinds = {name.partition("-")[0].removesuffix(".html") for name in found}
    assert kinds == {
        "index", "rests", "imported", "month", "target", "proposal", "run", "setting", "reviewer", "notes", "kernel",
    }  # fmt: skip
    assert {f"proposal-{KNOBS}.html", "setting-parallel-4.html", "reviewer-glm.html", RUN} <= set(found)


def test_every_link_leads_to_a_page_and_every_anchor_to_a_place(found: Mapping[str, str]) -> None:
    for name, page in found.items():
        for href in read(page).values("href"):
            file, _, anchor = href.partition("#")
            assert file in found, (name, href)
            assert not anchor or anchor in read(found[file]).values("id"), (name, href)


def test_every_page_is_reached_from_the_first(found: Mapping[str, str]) -> None:
    reached, waiting = {"index.html"}, ["index.html"]
    while waiting:
        hrefs = {href.partition("#")[0] for href in read(found[waiting.pop()]).values("href")}
        waiting += sorted(hrefs - reached)
        reached |= hrefs
    assert reached == set(found)


def test_pages_need_nothing_from_elsewhere_run_nothing_and_keep_to_plain_tags(found: Mapping[str, str]) -> None:
    for name, page in found.items():
        seen = read(page)
        assert seen.tags <= TAGS, name
        assert not [one for _, one, _ in seen.attributes if one.startswith("on") or one in ("src", "srcset", "action")]
        assert "url(" not in page and "@import" not in page and "default-src 'none'" in page
        assert "{{" not in page and 'http-equiv="refresh"' not in page


def test_pages_are_readable_by_machines_that_read_aloud(found: Mapping[str, str]) -> None:
    for name, page in found.items():
        seen = read(page)
        headings = seen.headings
        assert headings.count(1) == 1 and headings[0] == 1, name
        assert all(after - before <= 1 for before, after in pairwise(headings)), (name, headings)
        assert ("html", "lang", "en") in seen.attributes
        assert ("meta", "content", "width=device-width, initial-scale=1") in seen.attributes
        pictures = sum(tag == "svg" and (one, value) == ("role", "img") for tag, one, value in seen.attributes)
        hidden = sum(tag == "svg" and (one, value) == ("aria-hidden", "true") for tag, one, value in seen.attributes)
        nested = page.count('<svg x="')
        assert pictures + hidden + nested == page.count("<svg"), name
        assert all(value for tag, one, value in seen.attributes if one == "aria-label"), name
        ids = seen.values("id")
        assert len(ids) == len(set(ids)), name


def test_the_first_page_says_how_things_stand_and_what_to_do_next(found: Mapping[str, str]) -> None:
    text = words(found["index.html"])
    assert "0 in force" in text and "2 without a number" not in text and "1 without a number" in text
    assert "1 accepted, waiting for a start" in text and "1 open again or overturned" in text
    assert text.index("What to do next") < text.index("Lines") < text.rindex("Dated entries")
    assert "open again" in text and "superseded by parallel-8" in text and "measured before the baseline" in text


def test_a_target_says_what_production_is_made_of_and_why(found: Mapping[str, str]) -> None:
    text = words(found["target-local-llamacpp.html"])
    assert "parallel-8 1 parallel-8, 20" in text and "reason: clears the 10 % written beforehand" in text
    assert "evidence: run measure-20260807-later" in text
    assert "pp512 812.5 10.0 3" in text and "tg128 61.2" in text
    assert text.index("Tried here") < text.index("imported, not measured here") and "never in one ranking" in text


def test_a_setting_lists_every_verdict_ever_also_those_that_do_not_stand(found: Mapping[str, str]) -> None:
    page = found["setting-ubatch-1024.html"]
    text = words(page)
    assert "5 verdicts, newest first." in text
    assert text.count("total rate at 4 users ubatch-1024 at local-llamacpp") == 3
    assert "overturned by the run of" in text and "void: supports no verdict" in text and "was struck by Ada" in text
    assert page.count('class="bar"') == 2


def test_a_reviewer_is_held_against_what_was_measured(found: Mapping[str, str]) -> None:
    text = words(found["reviewer-glm.html"])
    assert "1 / 2 predictions held, of those decided" in text
    assert "1 / 2 estimates inside the predicted interval, of those measured" in text
    assert text.index("held") < text.index("did not hold") and "recorded" not in text.partition("Outcome")[0]
    assert "1 times left out whole did_not_start × 1" in words(found["reviewer-agent.html"])
    assert found["reviewer-glm.html"].count('class="claimed"') == 2


def test_a_proposal_goes_from_question_to_decision(found: Mapping[str, str]) -> None:
    text = words(found[f"proposal-{KNOBS}.html"])
    order = ["Which settings raise the total rate", "parallel-4", "Measurements", "took part", "5 hypotheses: claimed"]
    places = [text.index(part) for part in order]
    assert places == sorted(places) and "parallel-4 accepted for local-llamacpp" in text
    assert found[f"proposal-{KNOBS}.html"].count('class="dot') == 4 * 6
    assert "Parked: time to first token doubles" in words(found[f"proposal-{BATCH}.html"])


def test_a_run_lists_each_launch_and_what_rests_on_it(found: Mapping[str, str]) -> None:
    text = words(found[f"run-{KNOBS_RUN.run}.html"])
    assert text.count("acceptance #") == 8  # the four launches of the arm that two targets accepted
    assert REFUSED in text and "discarded 2 launches of broken blocks" in text


def test_what_is_open_again_stands_with_its_mark_and_the_way_to_decide_it_anew(found: Mapping[str, str]) -> None:
    text = words(found["rests.html"])
    assert "struck by Ada: the card was throttled" in text
    assert f"committee measure {BATCH} --arm" in text
    assert "parallel-8 accepted for local-llamacpp" in text and "→" in text
    assert "harness_version=0.1.0 4 measuring runs" in text


def test_notes_stand_as_they_were_in_their_language(found: Mapping[str, str]) -> None:
    (name,) = [name for name in found if name.startswith("notes-")]
    page, text = found[name], words(found[name])
    assert 'lang="zh-TW"' in page and "單人 68.1" in text and "about 2026-08-06" in text
    assert "imported, not measured here" in text and "&lt;script&gt;alert(1)" in page
    assert "筆記" in words(found["imported.html"])


@pytest.mark.parametrize("mark", ["◷", "superseded by", "overturned by the run of", "Not applied: kv-q8"])
def test_the_month_holds_every_dated_entry(found: Mapping[str, str], mark: str) -> None:
    (name,) = [name for name in found if name.startswith("month-")]
    assert "20 entries" in words(found[name])
    assert mark == "◷" or mark in words(found[name])
