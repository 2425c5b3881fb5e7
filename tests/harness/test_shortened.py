"""Words that are cut between words, from either end."""

import pytest

from harness.shortened import ending, shortened


@pytest.mark.parametrize(
    ("most", "kept"),
    [
        (40, "no cache blocks: 17.3 of 31.7 GiB free"),
        (38, "no cache blocks: 17.3 of 31.7 GiB free"),
        (37, "no cache blocks: 17.3 of 31.7 GiB…"),
        (34, "no cache blocks: 17.3 of 31.7 GiB…"),
        (33, "no cache blocks: 17.3 of 31.7…"),
        (18, "no cache blocks…"),
    ],
)
def test_a_beginning_ends_with_a_whole_word(most: int, kept: str) -> None:
    assert shortened("no cache blocks: 17.3 of 31.7 GiB free", most) == kept and len(kept) <= most


def test_an_end_begins_with_a_whole_word() -> None:
    assert ending("one two three", 13) == "one two three"
    assert ending("one two three", 12) == "…two three"
    assert ending("one two three", 9) == "…three"


def test_a_word_that_fills_the_room_is_cut_all_the_same() -> None:
    assert shortened("see /a/very/long/path/to/a/model.gguf", 20) == "see /a/very/long/pa…"
    assert ending("/a/very/long/path/to/a/model.gguf is", 20) == "…/to/a/model.gguf is"
    assert shortened("x" * 50, 10) == "x" * 9 + "…"
