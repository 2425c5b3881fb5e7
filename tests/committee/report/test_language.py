"""Two languages: no key missing in either, the same pieces in each sentence, and nothing of the other on a page."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from string import Formatter
from typing import Any

import pytest
from markupsafe import Markup

from committee.report.phrases import Phrase, counted, listed, marked_up, said, sentences
from committee.vocabulary.language import Language
from ledger.store import Ledger
from tests.committee.report.reading import read

EN, ZH = sentences(Language.EN), sentences(Language.ZH_TW)
VOCABULARY = (  # recorded codes, units, programs and things that have no other name
    "FASTER|SLOWER|SAME|AMBIGUOUS|VALID|INVALID|NOT_ARMED|IDENTICAL|CHANGED|UNKNOWN|completed|void|stopped|tok/s|MiB/h|"
    "ms|UTC|CPU|Brier|auto|required|VERDICT"
)
LATIN = re.compile(r"[A-Za-z]{2,}")
HAN = re.compile(r"[\u4e00-\u9fff]")


def pieces(sentence: str) -> set[str]:
    """Names of a sentence's pieces."""
    return {name for _, name, _, _ in Formatter().parse(sentence) if name is not None}


def test_no_key_is_missing_in_either_language_and_every_sentence_has_the_same_pieces() -> None:
    assert set(EN) == set(ZH)
    assert [key for key in EN if pieces(EN[key]) != pieces(ZH[key])] == []


def test_every_key_that_the_code_names_is_there_and_none_is_left_over() -> None:
    package = Path(__file__).parents[3] / "committee" / "report"
    files = [*package.rglob("*.py"), *package.rglob("*.j2"), package.parent / "score" / "reviewer_pages.py"]
    code = "".join(file.read_text(encoding="utf-8") for file in files)
    named = set(re.findall(r'(?:Phrase|say)\(\s*"([a-z_A-Z]+)"[,)]', code))
    for key in re.findall(r'counted\(\s*"(\w+)"', code):
        named |= {f"{key}_one", f"{key}_many"}
    assert named <= set(EN)
    spoken = set(re.findall(r'"(\w+)"', code)) | named
    made = re.compile("^(metric|gloss|state|remedy|because|way|category|production|label|outcome|kernel)_")
    assert {key for key in EN if key not in spoken and not made.match(key)} == {"second_look"}  # the round's own name


def test_chinese_is_chinese_and_english_is_english() -> None:
    for key, sentence in ZH.items():
        bare = re.sub(r"\{\w+\}", "", sentence)
        assert HAN.search(bare) or not LATIN.search(re.sub(VOCABULARY, "", bare)), key
    assert not [key for key, sentence in EN.items() if HAN.search(sentence)]


def test_a_phrase_is_its_english_and_says_itself_in_chinese_with_its_parts() -> None:
    metric = Phrase("metric_at_many", metric=Phrase("metric_total_tok_s"), load=4)
    assert (metric, said(metric, Language.ZH_TW)) == ("total rate at 4 users", "4 位使用者時的總速率")
    assert said(listed("a", counted("blocks", 1)), Language.ZH_TW) == "a、1 個區塊"
    assert said(listed("a", counted("blocks", 2)), Language.EN) == "a, 2 blocks"
    assert said("recorded words", Language.ZH_TW) == "recorded words"


def test_pieces_are_escaped_and_own_markup_is_not() -> None:
    evil = Phrase("named", name="<b>{x}\x1b", words=Markup("<code>1</code>"))
    assert marked_up(evil, Language.EN) == "&lt;b&gt;{x}\ufffd: <code>1</code>"
    with pytest.raises(KeyError):
        Phrase("no_such_sentence")
    with pytest.raises(KeyError):
        Phrase("named", name="a")


def recorded(value: Any) -> Iterator[str]:
    """Every text inside a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from recorded(one)
    elif isinstance(value, list):
        for one in value:
            yield from recorded(one)


def test_no_english_sentence_of_the_reports_own_is_on_a_chinese_page(
    struck: Ledger, chinese: Mapping[str, str]
) -> None:
    told = {text for entry in struck.entries() for text in recorded(entry.payload.as_json()) if LATIN.search(text)}
    told |= {line.strip() for text in told for line in text.splitlines()}
    known = re.compile("|".join(re.escape(text) for text in sorted(told, key=len, reverse=True) if text))
    assert len(chinese) > 20
    for name, page in chinese.items():
        seen = read(page)
        assert 'lang="zh-Hant-TW"' in page
        shown = [text.text for text in seen.texts if text.tag != "code"] + seen.values("aria-label")
        for text in shown:
            own = re.sub(rf"\b({VOCABULARY})\b", " ", known.sub(" ", text))
            assert not re.findall(r"[A-Za-z]{3,}", re.sub(r"[0-9a-f]{8,}", " ", own)), (name, text)


def test_no_chinese_is_on_an_english_page_but_what_was_recorded_in_it(found: Mapping[str, str]) -> None:
    for name, page in found.items():
        for text in read(page).texts:
            assert not HAN.search(text.text) or "notes" in name or "筆記" in text.text, (name, text)


def test_what_is_open_again_is_said_in_both_languages(found: Mapping[str, str], chinese: Mapping[str, str]) -> None:
    for name in ("index.html", "rests.html"):
        assert "open again: entry #" in found[name] and "struck by Ada: the card was throttled" in found[name]
        assert "重新待定：它所依據的第" in chinese[name] and "被 Ada 撤銷：the card was throttled" in chinese[name]
    assert "重新待定：它所依據的第" in chinese["report.html"]
