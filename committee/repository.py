"""The workspace's git repository: whether a commit can be made now, and making one of named paths only."""

from collections.abc import Sequence
from pathlib import Path

from git import GitCommandError, GitCommandNotFound, InvalidGitRepositoryError, NoSuchPathError, Repo

COMMIT_TIMEOUT_S = 120  # a person's own hooks may run; a hook that asks something would wait for ever
IN_PROGRESS = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply", "BISECT_LOG")


def open_repository(folder: Path) -> Repo | str:
    """The repository that holds `folder`, to be closed by the caller, or one sentence why there is none."""
    try:
        repo = Repo(folder, search_parent_directories=True)
    except (InvalidGitRepositoryError, NoSuchPathError):
        return f"{str(folder)!r} is not in a git repository; run `git init` there and commit once"
    except GitCommandNotFound:
        return "git is not installed; install it first"
    if repo.bare or repo.working_tree_dir is None:
        repo.close()
        return f"{str(folder)!r} is a bare git repository; work in a checkout"
    return repo


def obstacles(repo: Repo, paths: Sequence[Path]) -> tuple[str, ...]:
    """One sentence for everything that keeps a commit of only `paths` from being made; empty means none."""
    root = Path(str(repo.working_tree_dir))
    if not repo.head.is_valid():
        return (f"the git repository {str(root)!r} has no commit yet; commit once first",)
    outside = [sentence for path in paths if (sentence := _led_away(root, path))]
    if outside:
        return tuple(outside)
    said: list[str] = []
    conflicts = sorted(str(path) for path in repo.index.unmerged_blobs())
    if conflicts:
        said.append(f"git has conflicts in {conflicts[0]!r}; resolve and commit them first")
    begun = [name for name in IN_PROGRESS if (Path(repo.git_dir) / name).exists()]
    if begun:
        said.append(f"git is in the middle of something ({begun[0]}); finish or abort it first")
    ours = [path.resolve().relative_to(root.resolve()).as_posix() for path in paths]
    others = [name for name in _staged(repo) if not any(name == own or name.startswith(f"{own}/") for own in ours)]
    if others and not conflicts:
        said.append(f"git has other things staged ({others[0]!r}); commit or unstage them first")
    return tuple(said)


def committed_text(repo: Repo, path: Path, commit: str = "HEAD") -> str | None:
    """The file's text in a commit without the newlines at its end, none if that does not hold it."""
    name = path.resolve().relative_to(Path(str(repo.working_tree_dir)).resolve()).as_posix()
    try:
        return str(repo.git.show(f"{commit}:{name}"))
    except GitCommandError:
        return None


def commit_only(repo: Repo, paths: Sequence[Path], message: str, person: str) -> str:
    """Commit exactly `paths` and return the commit's id. Raises GitCommandError, with nothing left staged."""
    names = [str(path) for path in paths]
    with repo.git.custom_environment(**_identity(repo, person)):
        try:
            # Forced: what is on record must be in the commit, whatever a .gitignore says.
            repo.git.add("--force", "--", *names)
            repo.git.commit(
                "--quiet", "--only", "--message", message, "--", *names, kill_after_timeout=COMMIT_TIMEOUT_S
            )
        except GitCommandError:
            _unstage(repo, names)
            raise
    return str(repo.git.rev_parse("HEAD"))


def add_note(repo: Repo, ref: str, text: str, person: str) -> str:
    """Add a text to the note that `refs/notes/REF` keeps on HEAD; returns HEAD's id. Raises GitCommandError."""
    with repo.git.custom_environment(**_identity(repo, person)):
        repo.git.notes("--ref", ref, "append", "--message", text, "HEAD")
    return str(repo.git.rev_parse("HEAD"))


def words_of(error: GitCommandError) -> str:
    """Git's own words in one line."""
    said = str(error.stderr or error.stdout or error).strip().removeprefix("stderr:").strip().strip("'").strip()
    return " ".join(said.split())[:300] or "no reason given"


def _led_away(root: Path, path: Path) -> str | None:
    """Why a commit of `path` would not hold its content: a link on the way, or another place altogether."""
    here = path.absolute()
    while here.resolve() != root.resolve():
        if here.is_symlink():
            return (
                f"{str(here)!r} is a symbolic link, so a commit would not hold what it leads to; put the real one there"
            )
        if here == here.parent:
            return f"{str(path)!r} is outside the git repository {str(root)!r}; accept in the workspace that holds it"
        here = here.parent
    return None


def _staged(repo: Repo) -> list[str]:
    return [name for name in repo.git.diff("--cached", "--name-only", "-z").split("\x00") if name]


def _unstage(repo: Repo, names: list[str]) -> None:
    if repo.head.is_valid():
        repo.git.reset("--quiet", "--", *names)
    else:
        repo.git.rm("--cached", "--quiet", "-r", "--ignore-unmatch", "--", *names)


def _identity(repo: Repo, person: str) -> dict[str, str]:
    """Nothing where git knows who commits; else the person's name, so that a fresh machine can commit at all."""
    try:
        repo.git.var("GIT_COMMITTER_IDENT")
    except GitCommandError:
        name = person or "committee"
        email = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in name.lower())
        return {
            "GIT_AUTHOR_NAME": name,
            "GIT_COMMITTER_NAME": name,
            "GIT_AUTHOR_EMAIL": f"{email}@localhost",
            "GIT_COMMITTER_EMAIL": f"{email}@localhost",
        }
    return {}
