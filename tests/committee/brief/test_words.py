"""Every shipped language says the same things in its own words, and the templates hold no words of their own."""

import re
import string
from dataclasses import replace
from importlib import resources

import pytest

from committee.brief.render import render
from committee.brief.words import words_of
from committee.vocabulary.config import LABELS
from committee.vocabulary.exclusion import Reason
from committee.vocabulary.language import Language, shipped
from tests.committee.brief.sample import make_input

LATIN = re.compile(r"[A-Za-z]{2,}")
TECHNICAL = {"JSON", "CPU"}  # names that Chinese texts of this field keep


def fields(phrase: str) -> set[str]:
    """The names that a phrase is filled with."""
    return {name for _, name, _, _ in string.Formatter().parse(phrase) if name}


@pytest.mark.parametrize(
    ("asked", "expected"),
    [("en", "en"), ("zh-TW", "zh-TW"), ("zh-tw", "zh-TW"), ("zh-Hant-TW", "zh-TW"), ("zh-CN", "en"), ("de", "en")],
)
def test_a_language_that_is_not_shipped_falls_back_to_english(asked: str, expected: str) -> None:
    assert shipped(asked) == expected


def test_both_languages_have_the_same_phrases_with_the_same_fields() -> None:
    english, chinese = words_of(Language.EN), words_of(Language.ZH_TW)
    assert set(english.phrases) == set(chinese.phrases)
    assert {key: fields(said) for key, said in english.phrases.items()} == {
        key: fields(said) for key, said in chinese.phrases.items()
    }
    assert {reason.value for reason in Reason} <= set(chinese.reasons)


def test_no_english_stands_in_the_chinese_words() -> None:
    chinese = words_of(Language.ZH_TW)
    said = {**chinese.phrases, **chinese.reasons, **chinese.labels}
    del said["html_lang"]
    for key, phrase in said.items():
        bare = re.sub(r"\{[^}]*\}", "", phrase)
        assert set(LATIN.findall(bare)) <= TECHNICAL, key


@pytest.mark.parametrize("name", ["brief.md.j2", "brief.html.j2"])
def test_the_templates_hold_no_words(name: str) -> None:
    text = resources.files("committee.brief").joinpath("templates", name).read_text(encoding="utf-8")
    bare = re.sub(r"(?s)\{\{.*?\}\}|\{%.*?%\}|<style>.*?</style>|<!doctype html>|<[^>]*>", "", text)
    assert LATIN.findall(bare) == []


def test_a_chinese_brief_says_why_a_reviewer_is_missing_in_chinese() -> None:
    made, chinese = render(replace(make_input(), language=Language.ZH_TW)), words_of(Language.ZH_TW)
    assert "- agent：整份排除、`could_not_start`。程式或內嵌模型沒有開始回答" in made.markdown
    assert "- ada：即時\n- bob：預錄\n" in made.markdown and "**ada \\#1** (即時)" in made.markdown
    assert set(chinese.labels) == set(LABELS.values())
    assert "no such program" not in made.markdown + made.html
    assert '<html lang="zh-Hant-TW">' in made.html
    for english in words_of(Language.EN).phrases.values():
        if " " in english.strip() and "{" not in english:
            assert english not in made.markdown
            assert english not in made.html
