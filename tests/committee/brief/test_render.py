"""A brief says who, what and who is missing, ranks nothing, and gives the same bytes for the same input."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from committee.brief.content import BriefInput, LeftOut, TookPart
from committee.brief.render import render, write
from ledger.entries import Citation
from tests.committee.brief.sample import TREE, make_header, make_hypotheses, make_input
from tests.committee.brief.test_escape import HOSTILE
from tests.committee.fuse.sample import make_arm, make_hypothesis

EVIL = "\n".join(HOSTILE)


@pytest.mark.parametrize(
    "words",
    [
        "# Brief: A sample",
        f"`0007-sample`, revision `{TREE}`",
        "Quorum: 2 complete reviews, 2 needed",
        "- ada: live\n- bob: recorded",
        "agent: left out whole, `could_not_start`. no such program",
        "says nothing about merit",
        "### kv-q8",
        "- Change: `cache-type-k = q8_0`",
        "Named by: ada \\#1, bob \\#1",
        "Also called: `quantised-keys`",
        "### mine",
        "No reviewer says anything about it.",
        "separated by measuring `kv-q8`",
        "bob \\#1: total\\_tok\\_s at load 4 falls, -20 % to -5 %",
        "**Cannot be run**: flag 'host' is not listed",
        "Rests on `PROPOSAL.md:1`: `words`",
    ],
)
def test_what_it_says(words: str) -> None:
    assert words in render(make_input()).markdown


def test_both_renderings_hold_every_hypothesis() -> None:
    brief = render(make_input())
    for told in make_hypotheses():
        assert told.mechanism in brief.markdown
        assert told.mechanism in brief.html


def test_the_same_bytes_whatever_the_order_and_the_run() -> None:
    first = render(make_input())
    assert render(make_input(make_hypotheses()[::-1])) == first
    swapped = make_input()
    assert render(replace(swapped, took_part=swapped.took_part[::-1])) == first
    other_run = [
        told.model_copy(
            update={"run": "review-999999", "hypothesis": told.hypothesis.replace("review-000000", "review-999999")}
        )
        for told in make_hypotheses()
    ]
    assert render(make_input(other_run)) == first


def test_a_quote_is_shown_where_it_stands_and_a_false_one_is_named() -> None:
    told = make_hypotheses()
    moved = Citation(file="PROPOSAL.md", line=3, quote="one slot", found_line=7)
    false = Citation(file="PROPOSAL.md", line=4, quote="never written")
    told[0] = told[0].model_copy(update={"citations": (moved, false), "unsupported": True})
    made = render(make_input(told))
    assert "Rests on `PROPOSAL.md:7`: `one slot` (the reviewer said line 3)" in made.markdown
    assert "`PROPOSAL.md:4`: `never written` (this quote stands nowhere in the file)" in made.markdown
    assert made.markdown.count("**Unsupported**") == 1 and made.html.count(">Unsupported<") == 1


def test_a_brief_without_anything_says_so() -> None:
    empty = replace(make_input([]), took_part=(), left_out=())
    assert render(empty).markdown.count("Nobody.") == 2
    assert render(empty).markdown.count("None.") == 3


def hostile_input() -> BriefInput:
    """Every text of every party is hostile."""
    arm = {**make_arm("x", host="h"), "title": EVIL}
    told = make_hypothesis("ada", 1, make_arm("good", threads=2) | {"title": "<b>|x"}, mechanism=EVIL, falsifier=EVIL)
    denied = make_hypothesis("ada", 2, arm, mechanism=EVIL, not_runnable=EVIL)
    return replace(
        make_input([told, denied]),
        header=make_header(title="<b>x</b> [a](b)", question=" ".join(EVIL.split())),
        took_part=(TookPart("ada", EVIL),),
        left_out=(LeftOut("agent", "empty", EVIL),),
    )


def test_hostile_text_adds_nothing_to_the_markdown() -> None:
    given = hostile_input()
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(render(given).markdown)
    headings = [tokens[at + 1].content for at, token in enumerate(tokens) if token.type == "heading_open"]
    assert [heading for heading in headings if not heading.startswith("Brief")] == [
        "Who took part", "Who is missing", "Arms to measure", "good", "mine", "Contradictions",
        "Said in nearly the same words", "Hypotheses whose arm cannot be run", "Hypotheses without an arm",
    ]  # fmt: skip
    types = {child.type for token in tokens for child in (token, *(token.children or ()))}
    assert not types & {
        "link_open",
        "image",
        "html_block",
        "html_inline",
        "table_open",
        "fence",
        "code_block",
        "s_open",
    }


class Tags(HTMLParser):
    """Collects what a browser would see as tags, and attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag."""
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)


def test_hostile_text_adds_nothing_to_the_page() -> None:
    clean, hostile = Tags(), Tags()
    clean.feed(render(make_input()).html)
    hostile.feed(render(hostile_input()).html)
    assert hostile.tags <= clean.tags
    assert hostile.attributes <= clean.attributes
    assert not clean.tags & {"script", "img", "a", "iframe", "link"}


def test_written_into_the_folder_and_links_are_not_followed(tmp_path: Path) -> None:
    brief = render(make_input())
    (tmp_path / "outside.txt").write_text("mine")
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "brief.md").symlink_to(tmp_path / "outside.txt")
    markdown, html = write(tmp_path / "p", brief)
    assert markdown.read_text(encoding="utf-8") == brief.markdown
    assert html.read_text(encoding="utf-8") == brief.html
    assert (tmp_path / "outside.txt").read_text() == "mine"
    assert write(tmp_path / "p", brief) == (markdown, html)
    assert sorted(path.name for path in (tmp_path / "p").iterdir()) == ["brief.html", "brief.md"]


def test_two_that_write_the_same_brief_at_once_both_come_to_an_end(tmp_path: Path) -> None:
    brief = render(make_input())
    with ThreadPoolExecutor(2) as pool:
        both = list(pool.map(lambda _number: write(tmp_path, brief), range(200)))
    assert set(both) == {(tmp_path / "brief.md", tmp_path / "brief.html")}
    assert (tmp_path / "brief.md").read_text(encoding="utf-8") == brief.markdown
