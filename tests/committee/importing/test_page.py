"""Pages come in whole: pieces are the page again, tables keep their cells, days their doubt, numbers their source."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from committee.importing.conflicts import conflicts
from committee.importing.page import LONGEST_PIECE, Named, pieces
from harness.vocabulary.base import BadFileError
from ledger.canonical import sha256_hex
from ledger.entries import BlobRef, ImportedPage

PAGE = """# 生產

| 線 | 現在的數字 | 狀態 |
|---|---|---|
| 換掉 Q4_K_M | c4 合計 86.7 → 107.8(+24%) | 零行 code |

## 紀錄
約 2026-08-06 關掉 GDN 融合。同一個架構,48 個帶 GDN。
2026-08-14: context 131,072 adopted.
2026-13-40 is no day.
"""


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=2000))
def test_pieces_are_the_page_again(text: str) -> None:
    assert "".join(piece.text for piece in pieces(text)) == text


def test_forms_cells_and_headings() -> None:
    found = pieces(PAGE)
    assert [piece.form for piece in found] == [
        "heading", "blank", "row", "rule", "row", "blank", "heading", "note", "note", "note",
    ]  # fmt: skip
    assert found[4].cells == ("換掉 Q4_K_M", "c4 合計 86.7 → 107.8(+24%)", "零行 code")
    assert (found[4].under, found[7].under) == ("生產", "紀錄")


def test_days_are_kept_with_their_doubt() -> None:
    about, sure, none = pieces(PAGE)[-3:]
    assert (about.date, about.about) == ("2026-08-06", True)
    assert (sure.date, sure.about) == ("2026-08-14", False)
    assert none.date is None


def test_a_long_line_is_cut_after_sentences() -> None:
    sentence = "三顆都在 4/4 worker 上掛著,合計 153.64。"
    line = sentence * 60
    found = pieces(line)
    assert len(found) > 1
    assert all(len(piece.text) <= LONGEST_PIECE and piece.text.endswith("。") for piece in found)
    assert "".join(piece.text for piece in found) == line


def page(title: str, text: str) -> ImportedPage:
    named = (Named.from_words(r"recurrent layers=(\d+) (?:個帶 GDN|層是遞迴)"),)
    blob = BlobRef(sha256=sha256_hex(text.encode()), size=1, media_type="text/markdown")
    return ImportedPage(title=title, language="zh-TW", source=blob, pieces=pieces(text, named), person="Ada")


def test_sources_that_disagree_are_shown_side_by_side() -> None:
    (found,) = conflicts((page("page", PAGE), page("telemetry", "65 層裡有 49 層是遞迴的")))
    assert found.words == "recurrent layers: sources disagree: 48 (page); 49 (telemetry)"
    assert conflicts((page("page", PAGE), page("again", PAGE))) == ()


@pytest.mark.parametrize(
    ("words", "said"),
    [("layers", "is not NAME=EXPRESSION"), ("x=(", "no regular"), ("=(1)", "not"), ("n=(a+)+$", "too long")],
)
def test_a_quantity_that_cannot_be_looked_for(words: str, said: str) -> None:
    with pytest.raises(BadFileError, match=said):
        Named.from_words(words)
