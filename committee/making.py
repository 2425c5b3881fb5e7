"""Making a workspace, and making a proposal in one, from what ships with the product."""

import re
import shutil
from pathlib import Path

from git import GitCommandError, Repo

from committee.proposals.arm_example import arm_example
from committee.proposals.drawn import filled
from committee.proposals.folder import CRITERIA, HEADER
from committee.repository import commit_only, words_of
from committee.shipped import TEMPLATES, shipped
from committee.vocabulary.proposal import PROPOSAL_ID, ProposalKind
from committee.workspace import CONFIG, Workspace
from harness.vocabulary.base import BadFileError, read_toml

# The ledger's head is pinned in commits, its file is not committed; nor are the variables that nobody may read.
IGNORED = ".committee/\nrecords.db*\nreport.html\nsite/\ntargets/*.private.toml\n"
FIRST_TARGET = "local-llamacpp"
EXAMPLE = "0001-which-knob-is-real"
KEPT = ".gitkeep"  # git keeps no empty folder


def init(folder: Path, *, example: bool = False) -> Workspace:
    """Make a workspace with its first commit; with `example`, also the shipped proposal and its recorded reviews.

    Raises BadFileError when the folder holds something or git cannot commit.
    """
    if folder.exists() and not folder.is_dir():
        raise BadFileError(f"{str(folder)!r} is a file; name a new or an empty folder")
    if folder.exists() and any(folder.iterdir()):
        raise BadFileError(f"{str(folder)!r} is not empty; name a new or an empty folder")
    for name in ("proposals", "targets", "kernels"):
        (folder / name).mkdir(parents=True)
    (folder / ".gitignore").write_text(IGNORED, encoding="utf-8")
    (folder / "kernels" / KEPT).touch()
    shutil.copy(shipped("targets") / f"{FIRST_TARGET}.toml", folder / "targets")
    if example:
        shutil.copy(shipped("committee.toml"), folder / CONFIG)
        # Without briefs that a run in a checkout has written into the shipped proposal since.
        briefs = shutil.ignore_patterns("brief.md", "brief.html")
        shutil.copytree(shipped("proposals") / EXAMPLE, folder / "proposals" / EXAMPLE, ignore=briefs)
        shutil.copytree(shipped("recordings"), folder / "recordings")
    else:
        shutil.copy(TEMPLATES / CONFIG, folder / CONFIG)
        (folder / "proposals" / KEPT).touch()
    try:
        with Repo.init(folder, initial_branch="main") as repo:
            commit_only(repo, [folder.resolve()], "Make a workspace", "committee")
    except GitCommandError as error:
        raise BadFileError(f"git could not make the first commit in {str(folder)!r}: {words_of(error)}") from error
    return Workspace(folder.resolve())


def new_like(workspace: Workspace, slug: str, question: str, target: str | None = None) -> Path:
    """The next numbered proposal as a copy of one that ships with the product, about `target` or the one it is about.

    The target that it is about comes along where the workspace has none of that name. Raises BadFileError.
    """
    homes = sorted(path for path in shipped("proposals").iterdir() if (path / HEADER).is_file())
    source = next((path for path in homes if question in (path.name, path.name[:4], path.name[5:])), None)
    if source is None:
        raise BadFileError(
            f"no question {question!r} ships with this; there are {', '.join(path.name for path in homes)}"
        )
    about = target or str(read_toml(source / HEADER)["target"])
    if target is None and not (workspace.folder / "targets" / f"{about}.toml").exists():
        shutil.copy(shipped("targets") / f"{about}.toml", workspace.folder / "targets")
    workspace.target(about)
    folder = _next(workspace, slug)
    shutil.copytree(source, folder, ignore=shutil.ignore_patterns("brief.md", "brief.html"))
    text = (folder / HEADER).read_text(encoding="utf-8")
    for key, value in (("id", folder.name), ("target", about)):
        text = re.sub(rf'^{key} = ".*"$', f'{key} = "{value}"', text, count=1, flags=re.MULTILINE)
    (folder / HEADER).write_text(text, encoding="utf-8")
    return folder


def _next(workspace: Workspace, slug: str) -> Path:
    """Where the next numbered proposal of that slug belongs. Raises BadFileError."""
    home = workspace.folder / "proposals"
    numbers = [int(path.name[:4]) for path in home.glob("[0-9][0-9][0-9][0-9]-*")] if home.is_dir() else []
    made = f"{max(numbers, default=0) + 1:04d}-{slug}"
    if not re.fullmatch(PROPOSAL_ID, made):
        raise BadFileError(f"slug {slug!r} cannot be used; take lower-case letters, digits and hyphens, at most 43")
    if any(path.name[5:] == slug for path in home.glob("[0-9][0-9][0-9][0-9]-*")):
        raise BadFileError(f"there is a proposal {slug!r} already; choose another slug")
    return home / made


def new(workspace: Workspace, slug: str, kind: ProposalKind, target: str = FIRST_TARGET) -> Path:
    """Make the next numbered proposal from the templates, its figures drawn from the target. Raises BadFileError."""
    known, _ = workspace.target(target)
    folder = _next(workspace, slug)
    shutil.copytree(TEMPLATES / kind, folder, ignore=shutil.ignore_patterns("__pycache__"))
    for name in (HEADER, CRITERIA, "arms/README.md"):
        if not (folder / name).exists():
            continue  # a kernel's arms are folders of their own
        text = (folder / name).read_text(encoding="utf-8").replace("{{arm_example}}", arm_example(known))
        (folder / name).write_text(filled(text, known, folder.name), encoding="utf-8")
    return folder
