"""Hostile text stays text: parsed by a real Markdown parser, it forms nothing but one paragraph of words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from committee.brief.escape import WORD_JOINER, code, markdown, one_line

HOSTILE = (
    "# heading", "a\n# heading", "a\n===", "a\n---\n", "[x](http://evil.example)", "![x](http://evil.example/x.png)",
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<http://evil.example>", "http://evil.example",
    "www.evil.example", "a|b\n-|-\n1|2", "- item\n- item", "1. one\n2. two", "> quote", "    code", "```\ncode\n```",
    "`code`", "**bold** _em_ ~~gone~~", "&lt;b&gt; &#60;", "[x]: http://evil.example\n\n[x]", "\\<b>", "\\\\<b>",
    "a\u2028# b", "a\r\n\r\n# b", "$x$", "<!-- comment", "[^1]", "@everyone", "a  \nb",
)  # fmt: skip


def parse(text: str) -> list[str]:
    """Types of every token that a CommonMark parser with tables and strike-through makes of it."""
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    return [
        inner.type
        for token in parser.parse(text)
        for inner in (token, *(token.children or ()))
        if inner.type != "inline"
    ]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_one_paragraph_of_words(text: str) -> None:
    types = parse(f"- Mechanism: {markdown(text)}")
    assert set(types) <= {
        "bullet_list_open", "list_item_open", "paragraph_open", "text", "text_special", "paragraph_close",
        "list_item_close", "bullet_list_close",
    }  # fmt: skip
    assert types.count("paragraph_open") == 1


@given(st.text(max_size=60))
def test_any_text_reads_back_as_it_was(text: str) -> None:
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    (inline,) = [token for token in parser.parse(f"x {markdown(text)}") if token.type == "inline"]
    assert {child.type for child in inline.children or ()} <= {"text", "text_special"}
    shown = "".join(child.content for child in inline.children or ())
    assert shown.replace(f"@{WORD_JOINER}", "@").strip() == f"x {one_line(text)}".strip()


@given(st.text(alphabet="`ab <\n", max_size=30))
def test_a_code_span_cannot_be_left(text: str) -> None:
    (inline,) = [token for token in MarkdownIt("commonmark").parse(f"x {code(text)}") if token.type == "inline"]
    assert [child.type for child in inline.children or ()] == ["text", "code_inline"]
    assert (inline.children or [])[1].content.strip() == one_line(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("total_tok_s", r"total\_tok\_s"),
        ("see http://x", r"see http\://x"),
        ("WWW.x", r"WWW\.x"),
        ("a@b", f"a@{WORD_JOINER}b"),
        ("\u202eevil", r"\<U+202E\>evil"),
        ("\x1b[31mred", r"\<U+001B\>\[31mred"),
        ("多人同時 80 %", "多人同時 80 %"),
    ],
)
def test_what_it_looks_like(text: str, expected: str) -> None:
    assert markdown(text) == expected
