"""What the brief shows beside a hypothesis: ceiling, refutations, comments, patches, and sets of one sentence."""

from dataclasses import replace

from committee.brief.content import LeftOut, SecondLook, TookPart, WithoutComments
from committee.brief.render import render
from committee.vocabulary.steps import StepTable
from ledger.entries import PatchedFile, PatchOutcome
from tests.committee.brief.sample import make_input
from tests.committee.fuse.sample import make_arm, make_hypothesis, make_prediction

STEP = StepTable.model_validate(
    {
        "schema": 1,
        "phase": "decode",
        "load": 4,
        "step_ms": 20,
        "measured": "profile of 200 steps",
        "part": [{"name": "attention", "ms": 5}, {"name": "matmul", "ms": 12}],
    }
)
SAID = "Every decode step reads all weights once, so two users that share a step share the reading of the weights too."


def test_the_most_that_can_be_won_stands_beside_the_claim_and_more_than_that_is_flagged() -> None:
    modest = make_hypothesis("ada", 1, None, make_prediction("up"), part="attention")
    bold = make_hypothesis(
        "bob", 1, None, make_prediction("up").model_copy(update={"high_pct": 50.0}), part="attention"
    )
    made = render(replace(make_input([modest, bold]), steps=(STEP,)))
    assert "33.3 % (part attention is 25 % of a step of 20 ms at load 4); claimed up to 20 %" in made.markdown
    assert made.markdown.count("**Above its ceiling**") == 1 and made.html.count("Above its ceiling") == 1
    assert made.markdown.index("claimed up to 50 %") < made.markdown.index("**Above its ceiling**")


def test_a_refutation_and_what_it_refutes_name_each_other() -> None:
    arm = make_arm("a", threads=2)
    first = make_hypothesis("ada", 1, arm, make_prediction("up"))
    late = make_hypothesis(
        "bob", 1, arm, make_prediction("same"), run="second-000000", hypothesis="second-000000/bob/1",
        refutes=first.hypothesis,
    )  # fmt: skip
    second = SecondLook("second-000000", (TookPart("bob", "live"),), (LeftOut("ada", "timed_out", "no answer"),))
    made = render(replace(make_input([first, late]), second_look=second))
    assert "Refuted by: bob \\#1" in made.markdown and "Refutes: ada \\#1" in made.markdown
    assert "- **bob \\#1** (recorded, second look)" in made.markdown
    assert "## Second look" in made.markdown and "ada: left out whole, `timed_out`" in made.markdown
    assert "total\\_tok\\_s at load 4, separated by measuring `a`" in made.markdown


def test_what_appears_only_with_comments_is_marked_and_what_was_not_compared_too() -> None:
    told = [make_hypothesis("ada", 1, None), make_hypothesis("ada", 2, None), make_hypothesis("bob", 1, None)]
    compared = WithoutComments(frozenset({told[1].hypothesis}), frozenset({"bob"}))
    made = render(replace(make_input(told), without_comments=compared)).markdown
    assert made.count("**Only with comments**") == 1 and made.count("**Not compared**") == 1
    assert made.index("ada \\#2") < made.index("**Only with comments**") < made.index("bob \\#1")


def test_what_may_be_told_anew_without_comments_has_a_mark_of_its_own() -> None:
    one = make_hypothesis("ada", 1, None)
    compared = WithoutComments(frozenset({one.hypothesis}), frozenset(), perhaps_reworded=frozenset({one.hypothesis}))
    made = render(replace(make_input([one]), without_comments=compared)).markdown
    assert "**Perhaps only with comments**" in made and "**Only with comments**" not in made


def test_a_patch_shows_its_files_and_the_compilers_words() -> None:
    outcome = PatchOutcome(
        files=(PatchedFile(path="kernel/a.cu", sha256="a" * 64, plain_sha256="b" * 64),),
        change=None, compiled="not checked: no compiler installed", launched=None,
    )  # fmt: skip
    arm = {"name": "x", "patch": "--- a/kernel/a.cu\n+++ b/kernel/a.cu\n"}
    told = make_hypothesis("ada", 1, arm, not_runnable="no file of the target", arm_fingerprint=None, patch=outcome)
    made = render(make_input([told])).markdown
    assert "Patch: changes kernel/a.cu; compiled: not checked: no compiler installed" in made
    assert "patch: --- a/kernel/a.cu +++ b/kernel/a.cu" in made


def test_what_cites_nothing_is_unsupported_in_other_words_than_a_false_quote() -> None:
    told = make_hypothesis("ada", 1, None, citations=(), unsupported=True)
    assert "**Unsupported**: it cites no place in the revision" in render(make_input([told])).markdown


def test_both_texts_of_a_set_are_kept_and_the_set_is_proposed() -> None:
    one, other = (
        make_hypothesis("ada", 1, None, mechanism=SAID),
        make_hypothesis("bob", 1, None, mechanism=SAID.upper()),
    )
    made = render(make_input([one, other])).markdown
    assert SAID in made and SAID.upper() in made
    assert "## Said in nearly the same words" in made
    assert "- total\\_tok\\_s at load 4: ada \\#1, bob \\#1" in made


def test_a_view_that_one_reviewer_holds_alone_stands_beside_the_others() -> None:
    arm = make_arm("a", threads=1)
    many = [make_hypothesis(f"r{number}", 1, arm, make_prediction("up")) for number in range(5)]
    lone = make_hypothesis("zoe", 1, arm, make_prediction("down"), mechanism="only zoe says so")
    made = render(make_input([*many, lone]))
    assert "only zoe says so" in made.markdown and "only zoe says so" in made.html
    assert "zoe \\#1: total\\_tok\\_s at load 4 falls" in made.markdown
