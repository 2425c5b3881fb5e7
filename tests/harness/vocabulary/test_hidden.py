"""Characters that nobody sees are found, and what a script or an emoji needs is left alone."""

import pytest

from harness.vocabulary.hidden import hidden

UNSEEN = (
    "\u200b\u200e\u200f\u061c\u2060\ufeff\u00ad\u180e\u115f\u1160\u3164\uffa0\u202e\u2066\u034f\U000e0020\U000e0001"
)


@pytest.mark.parametrize("char", UNSEEN)
def test_each_is_found_where_it_stands(char: str) -> None:
    assert list(hidden(f"快 a{char}b")) == [3]


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("a\u200db \u200c", [1, 4]),  # letters that are never joined
        ("क\u200d\u200dष", [1, 2]),
        ("x\ufe0f\ufe0f\U000e0100", [2, 3]),  # selectors one after another carry a message
        (" \ufe0f", [1]),
        ("👩\u200d\u061c", [1, 2]),
    ],
)
def test_so_are_joiners_and_selectors_that_have_nothing_to_do(text: str, places: list[int]) -> None:
    assert list(hidden(text)) == places


@pytest.mark.parametrize(
    "text",
    [
        "一行「全形」標點，\u3000空格；％ ＡＢＣ ㄅㄆㄇ ﹏",
        "葛\U000e0100城 ㍿",
        "क\u094d\u200dष می\u200cخواهم",
        "👩\u200d🔧 ❤️\u200d🔥 🏳️\u200d🌈 👍🏽 1️⃣",
        "Größe – “naïve” ≤ 5 µs\u00a0× ½ 한국어",
        "\x1b\n\t\x7f",  # control codes are told of elsewhere
    ],
)
def test_what_is_written_so_is_left_alone(text: str) -> None:
    assert list(hidden(text)) == []
