"""Finding a workspace, and what is found in it; each refusal lists what there is."""

from pathlib import Path

import pytest

from committee.making import init, new
from committee.workspace import Workspace
from harness.vocabulary.base import BadFileError


def test_found_upward_and_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = init(tmp_path / "w")
    (tmp_path / "w" / "proposals" / "deep").mkdir()
    monkeypatch.chdir(tmp_path / "w" / "proposals" / "deep")
    assert Workspace.find() == made
    assert Workspace.find(tmp_path / "w") == made
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadFileError, match="no workspace at or above"):
        Workspace.find()
    with pytest.raises(BadFileError, match=r"holds no committee\.toml"):
        Workspace.find(tmp_path)


@pytest.mark.parametrize("name", ["0001", "1", "01", "0001-first", "first", "fir", "0001-f", "proposals/0001-first/"])
def test_a_proposal_is_found_by_number_slug_id_or_path(tmp_path: Path, name: str) -> None:
    workspace = init(tmp_path / "w")
    folder = new(workspace, "first", "config")
    assert workspace.proposal_folder(name) == folder


@pytest.mark.parametrize(
    ("here", "path"),
    [
        ("proposals/0001-first", "."),
        ("proposals/0001-first", "./"),
        ("proposals/0001-first", "../0001-first/"),
        ("proposals/0001-first/arms", ".."),
        ("proposals", "0001-first/"),
        (".", "0001-first/"),
        (".", "{ws}/proposals/0001-first/"),
        ("..", "{ws}/proposals/../proposals/0001-first"),
        ("..", "{link}/proposals/0001-first"),
    ],
)
def test_a_proposal_is_found_by_any_path_to_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, here: str, path: str
) -> None:
    workspace = init(tmp_path / "w")
    folder = new(workspace, "first", "config")
    (folder / "arms").mkdir(exist_ok=True)
    (tmp_path / "link").symlink_to(workspace.folder)
    monkeypatch.chdir(workspace.folder / here)
    assert workspace.proposal_folder(path.format(ws=workspace.folder, link=tmp_path / "link")) == folder


@pytest.mark.parametrize("path", [".", "..", "/", "{other}/proposals/0001-first", "proposals/0001-first/arms"])
def test_a_path_that_leads_to_no_proposal_of_this_workspace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    workspace, other = init(tmp_path / "w"), init(tmp_path / "other")
    for one in (workspace, other):
        new(one, "first", "config")
    monkeypatch.chdir(workspace.folder)
    said = r"is no proposal's folder in '.*/w/proposals'; there is: 0001-first$"
    with pytest.raises(BadFileError, match=said):
        workspace.proposal_folder(path.format(other=other.folder))


def test_a_proposal_that_is_not_there(tmp_path: Path) -> None:
    workspace = init(tmp_path / "w")
    with pytest.raises(BadFileError, match="there is: none"):
        workspace.proposal_folder("0001")
    new(workspace, "first", "config")
    with pytest.raises(BadFileError, match="there is: 0001-first"):
        workspace.proposal_folder("second")


def test_a_name_that_several_proposals_have(tmp_path: Path) -> None:
    workspace = init(tmp_path / "w")
    new(workspace, "0002", "config")
    new(workspace, "second", "config")
    with pytest.raises(BadFileError, match="several proposals are '0002'; there is: 0001-0002, 0002-second"):
        workspace.proposal_folder("0002")
    new(workspace, "seconds", "config")
    with pytest.raises(BadFileError, match="several proposals are 'sec'; there is: 0002-second, 0003-seconds"):
        workspace.proposal_folder("sec")
    assert workspace.proposal_folder("second").name == "0002-second"


def test_targets_by_name_only(tmp_path: Path) -> None:
    workspace = init(tmp_path / "w")
    target, sha256 = workspace.target("local-llamacpp")
    assert target.baseline.flags["n-parallel"] == 1
    assert len(sha256) == 64
    for name in ("other", "../targets/local-llamacpp", "local-llamacpp.accepted"):
        with pytest.raises(BadFileError, match="there is: local-llamacpp"):
            workspace.target(name)
    with pytest.raises(BadFileError, match="did you mean 'local-llamacpp'"):
        workspace.target("local-lamacpp")


def test_the_ledger_is_made_on_first_use(tmp_path: Path) -> None:
    workspace = init(tmp_path / "w")
    with workspace.ledger(actor="test") as ledger:
        assert ledger.path == workspace.records.said
        assert ledger.head() is None
