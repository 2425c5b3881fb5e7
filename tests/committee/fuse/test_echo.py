"""A hypothesis that repeats the prompt's example is shown as that; nothing is compared with it and nothing measured."""

from dataclasses import replace

import pytest

from committee.brief.render import render
from committee.fuse.echo import echoes_example
from committee.fuse.fuse import fuse
from committee.review.rounds import shown_of
from committee.vocabulary.example import EXAMPLES
from committee.vocabulary.language import Language
from tests.committee.brief.sample import make_input
from tests.committee.fuse.sample import make_arm, make_hypothesis

SAID = EXAMPLES[Language.EN].mechanism
NEAR = "prompts longer than one chunk are not cut and wait for the next steps"  # as the shipped small model changed it


@pytest.mark.parametrize("text", [SAID, SAID.upper(), NEAR, EXAMPLES[Language.ZH_TW].mechanism])
def test_the_example_is_known_again(text: str) -> None:
    assert echoes_example(text)


@pytest.mark.parametrize(
    "text",
    [
        "Prompts longer than 512 tokens are cut into chunks, and each piece waits for a step in which others decode.",
        "A long prompt is cut at the budget of batched tokens, so its second part waits for the next step.",
        "chunk",
        "提示太長時會被切成好幾段，每一段都要等解碼的那一步。",
    ],
)
def test_own_words_about_the_same_thing_are_no_echo(text: str) -> None:
    assert not echoes_example(text)


def test_an_echo_is_kept_apart_whatever_arm_it_names() -> None:
    own = make_hypothesis("ada", 1, make_arm("slots", n_parallel=4))
    echo = make_hypothesis("bob", 1, make_arm("chunk", n_parallel=2), mechanism=NEAR)
    bare = make_hypothesis("bob", 2, None, mechanism=SAID)
    found = fuse([echo, own, bare], [])
    assert found.echoes == (echo, bare) and [arm.name for arm in found.arms] == ["slots"]
    assert not any((found.without_arm, found.not_runnable, found.contradictions, found.alike))
    assert found.hypotheses == (own, echo, bare), "nothing is lost"
    assert [one.hypothesis for one in shown_of(found)] == [own.hypothesis], "a second look does not show it"


@pytest.mark.parametrize(
    ("language", "heading", "mark"),
    [
        (Language.EN, "Repeats of the prompt's example", "Repeats the example"),
        (Language.ZH_TW, "照抄提示範例者", "照抄範例"),
    ],
)
def test_the_brief_marks_it_in_its_own_place(language: Language, heading: str, mark: str) -> None:
    own, echo = make_hypothesis("ada", 1, None), make_hypothesis("bob", 1, None, mechanism=SAID, unsupported=True)
    given = make_input([own, echo])
    made = render(replace(given, language=language))
    before, after = made.markdown.split(f"## {heading}\n")
    assert "mechanism 1 of ada" in after and SAID not in before
    assert after.index(SAID) < after.index(f"**{mark}**") < after.index("mechanism 1 of ada")
    assert "**Unsupported**" not in made.markdown and "缺乏依據" not in made.markdown
    assert heading.replace("'", "&#39;") in made.html and f">{mark}<" in made.html
    assert heading not in render(make_input([own])).markdown
