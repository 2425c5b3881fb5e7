"""Reading a proposal's folder into typed values. It does not freeze and does not judge; `revision` and `check` do."""

from collections import Counter
from pathlib import Path

from committee.vocabulary.proposal import LoadedProposal, ProposalHeader
from harness.planning.stacks import expand
from harness.vocabulary.arm import Arm
from harness.vocabulary.base import BadFileError
from harness.vocabulary.criteria import Criteria

HEADER, TEXT, CRITERIA, ARMS = "proposal.toml", "PROPOSAL.md", "criteria.toml", "arms"


def load(folder: Path) -> LoadedProposal:
    """The folder's header, criteria and author's arms. Raises BadFileError with one sentence."""
    if not folder.is_dir():
        raise BadFileError(f"{str(folder)!r} is not a folder; make a proposal with `committee new SLUG`")
    for name in (HEADER, TEXT, CRITERIA):
        _must_be_plain(folder / name)
    header = ProposalHeader.from_toml(folder / HEADER)
    real_name = folder.resolve().name
    if header.id != real_name:
        raise BadFileError(
            f"{str(folder / HEADER)!r}: id is {header.id!r} but the folder is named {real_name!r}; make them the same"
        )
    return LoadedProposal(folder, header, Criteria.from_toml(folder / CRITERIA), _arms(folder / ARMS))


def _arms(folder: Path) -> tuple[Arm, ...]:
    if not folder.exists():
        return ()
    if folder.is_symlink() or not folder.is_dir():
        raise BadFileError(f"{str(folder)!r} must be a folder of arm files; remove it or make it one")
    paths = sorted(folder.glob("*.toml"))
    for path in paths:
        _must_be_plain(path)
    arms = tuple(Arm.from_toml(path) for path in paths)
    for name, count in Counter(arm.name for arm in arms).items():
        if count > 1:
            raise BadFileError(f"{str(folder)!r}: {count} arms are named {name!r}; give each arm its own name")
    expanded = expand(arms)
    if isinstance(expanded, str):
        raise BadFileError(f"{str(folder)!r}: {expanded}")
    return expanded


def _must_be_plain(path: Path) -> None:
    """A link or a pipe under a known name would read something else, or never end."""
    if path.is_symlink():
        raise BadFileError(f"{str(path)!r} is a symbolic link; put the file itself there")
    if not path.exists():
        raise BadFileError(f"{str(path)!r} does not exist; a proposal needs {HEADER}, {TEXT} and {CRITERIA}")
    if not path.is_file():
        raise BadFileError(f"{str(path)!r} is not a plain file; put a plain file there")
