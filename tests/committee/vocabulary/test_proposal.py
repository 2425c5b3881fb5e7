"""proposal.toml: a title and a question are one plain line each."""

from typing import Any

import pytest

from committee.vocabulary.proposal import ProposalHeader
from harness.vocabulary.base import BadFileError


def header(**changes: Any) -> ProposalHeader:
    value = {
        "schema": 1,
        "id": "0001-which-knob",
        "title": "Which knob is real?",
        "kind": "config",
        "target": "demo",
        "question": "Which knob is real?",
        "budget": {"money": 1.0, "server_minutes": 10},
    }
    return ProposalHeader.from_mapping(value | changes, "proposal.toml")


@pytest.mark.parametrize("key", ["title", "question"])
@pytest.mark.parametrize("character", ["\n", "\r", "\t", "\x1b", "\x9b", "\x85", "\u2028", "\u202e", "\u2066"])
def test_a_text_that_is_not_one_plain_line_is_refused(key: str, character: str) -> None:
    with pytest.raises(BadFileError, match=f"{key!r}: .*holds a line break, a tab or a control character"):
        header(**{key: f"Which knob?{character}RULES (corrected)"})


@pytest.mark.parametrize("character", ["\u200b", "\u200d", "\u200f", "\u2060", "\ufeff", "\u3164", "\U000e0041"])
def test_a_character_that_nobody_sees_is_named_and_refused(character: str) -> None:
    with pytest.raises(BadFileError, match=rf"holds U\+{ord(character):04X}, which nobody sees; take it out"):
        header(title=f"Which{character}knob?")


@pytest.mark.parametrize(
    "words",
    [
        "Hvorfor er det så tregt?",
        "哪個旋鈕是真的？",
        "\u3000「全形」，標點：！～",
        "می\u200cخواهم 👩\u200d🔧 ❤️",
        "مَن أسرع؟",
        "4 × ½ – “really”?",
    ],
)
def test_plain_words_of_every_language_are_taken(words: str) -> None:
    assert header(title=words, question=words).question == words
