"""A proposal in which the template's own words still stand is refused, file by file, with what to write."""

from pathlib import Path

import pytest

from committee.making import init, new
from committee.proposals.check import check, passes
from committee.proposals.complaint import Complaint, Severity
from committee.proposals.folder import load
from committee.proposals.revision import freeze
from committee.vocabulary.proposal import ProposalKind
from committee.workspace import Workspace

WRITTEN = "# Wider tiles\n\nMeasured three times: 68 tok/s for one user.\n"


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """One workspace; each test makes its own proposal in it."""
    return init(tmp_path_factory.mktemp("left") / "w")


def found_in(workspace: Workspace, folder: Path) -> tuple[Complaint, ...]:
    """What the check says about the folder now."""
    return check(load(folder), freeze(folder), workspace.target("local-llamacpp")[0], None)


def replaced(path: Path, *pairs: tuple[str, str]) -> None:
    """Write a file anew with each first text replaced; each must be there."""
    text = path.read_text()
    for old, new_text in pairs:
        assert old in text
        text = text.replace(old, new_text)
    path.write_text(text)


def fill_in(folder: Path) -> None:
    """What an author does with a proposal made from the templates."""
    title, question = "Replace this with one line for people", "Replace this with the one question"
    replaced(folder / "proposal.toml", (title, "Wider tiles"), (question, "Which of"))
    (folder / "PROPOSAL.md").write_text(WRITTEN)
    kernel = folder / "kernel" / "kernel.cu"
    if kernel.exists():
        kernel.write_text("#include <cuda_fp16.h>\n")
    for path in folder.rglob("README.md"):
        path.unlink()


@pytest.mark.parametrize("kind", ["config", "kernel"])
def test_as_it_was_made_it_may_not_be_submitted(workspace: Workspace, kind: ProposalKind) -> None:
    folder = new(workspace, f"as-made-{kind}", kind)
    said = {(one.where, one.sentence) for one in found_in(workspace, folder) if one.severity is Severity.ERROR}
    assert ("proposal.toml", "title is still the template's; write one line that tells people what it is about") in said
    assert any(where == "proposal.toml" and "write the one question that reviewers are asked" in s for where, s in said)
    assert any(
        where == "PROPOSAL.md" and "lines 1, 4, 7, 10, 13, 16 are still the template's" in s for where, s in said
    )
    assert any(where == "kernel/kernel.cu" for where, _ in said) is (kind == "kernel")
    notes = [one.where for one in found_in(workspace, folder) if "the template's own help" in one.sentence]
    assert notes == (["arms/README.md", "evidence/README.md"] if kind == "config" else ["evidence/README.md"])


@pytest.mark.parametrize("kind", ["config", "kernel"])
def test_filled_in_it_may(workspace: Workspace, kind: ProposalKind) -> None:
    folder = new(workspace, f"filled-{kind}", kind)
    fill_in(folder)
    found = found_in(workspace, folder)
    assert passes(found) and all(one.severity is Severity.NOTE for one in found)


@pytest.mark.parametrize(
    ("name", "pair", "said"),
    [
        ("proposal.toml", ('"Wider tiles"', '"Replace this with one line for people"'), "title is still"),
        ("proposal.toml", ('"Which of', '"Replace this with the one question'), "question is still"),
        ("PROPOSAL.md", ("Measured three times", "Replace this: what was measured"), "line 3 is still the template's"),
        ("PROPOSAL.md", ("\nMeasured three times: 68 tok/s for one user.\n", "## What is known\n"), "headings only"),
        (
            "criteria.toml",
            ('policy = "identical"', 'policy = "report"\nreason = "Replace this with why"'),
            "numerics.reason is still the template's",
        ),
    ],
)
def test_one_thing_left(workspace: Workspace, name: str, pair: tuple[str, str], said: str) -> None:
    folder = new(workspace, f"one-{len(list(workspace.folder.glob('proposals/0*')))}", "config")
    fill_in(folder)
    replaced(folder / name, pair)
    (found,) = found_in(workspace, folder)
    assert found.severity is Severity.ERROR and found.where == name and said in found.sentence


def test_words_that_only_begin_alike_are_an_authors(workspace: Workspace) -> None:
    folder = new(workspace, "alike", "config")
    fill_in(folder)
    (folder / "PROPOSAL.md").write_text(f"{WRITTEN}Replace this kernel and all is well.\n")
    assert found_in(workspace, folder) == ()
