"""The workspace's git repository: whether a commit can be made now, and making one of named paths only."""

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from git import GitCommandError, GitCommandNotFound, InvalidGitRepositoryError, NoSuchPathError, Repo

from committee.asking_git import has_commit, history, is_commit, names_in, one_line, read
from harness.vocabulary.base import BadFileError

COMMIT_TIMEOUT_S = 120.0  # a person's own hooks may run; a hook that asks something would wait for ever
GRACE_S = 5.0  # for git to take its locks away when it is told to end
IN_PROGRESS = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply", "BISECT_LOG")


def open_repository(folder: Path) -> Repo | str:
    """The repository that holds `folder`, to be closed by the caller, or one sentence why there is none."""
    found = git_above(folder)
    try:
        repo = Repo(folder.resolve(), search_parent_directories=True)
    except (InvalidGitRepositoryError, NoSuchPathError):
        none = f"{str(folder)!r} is not in a git repository; run `git init` there and commit once"
        return none if found is None else _broken(found)
    except GitCommandNotFound:
        return "git is not installed; install it first"
    if repo.bare or repo.working_tree_dir is None:
        repo.close()
        return f"{str(folder)!r} is a bare git repository; work in a checkout"
    if found is not None and found.is_dir() and not found.samefile(repo.git_dir):  # passed over for one further up
        repo.close()
        return _broken(found)
    return repo


def git_above(folder: Path) -> Path | None:
    """The nearest `.git` in the folder or above it, whole or not."""
    here = folder.resolve()
    return next((one / ".git" for one in (here, *here.parents) if (one / ".git").exists()), None)


def obstacles(repo: Repo, paths: Sequence[Path]) -> tuple[str, ...]:
    """One sentence for everything that keeps a commit of only `paths` from being made; empty means none."""
    try:
        return _obstacles(repo, paths)
    except BadFileError as error:
        return (str(error),)


def _obstacles(repo: Repo, paths: Sequence[Path]) -> tuple[str, ...]:
    root = Path(str(repo.working_tree_dir))
    if not has_commit(repo):
        return (f"the git repository {str(root)!r} has no commit yet; commit once first",)
    outside = [sentence for path in paths if (sentence := _led_away(root, path))]
    if outside:
        return tuple(outside)
    said: list[str] = []
    conflicts = names_in(repo, "diff", "--name-only", "--diff-filter=U", "-z")
    if conflicts:
        said.append(f"git has conflicts in {conflicts[0]!r}; resolve and commit them first")
    begun = [name for name in IN_PROGRESS if (Path(repo.git_dir) / name).exists()]
    if begun:
        said.append(f"git is in the middle of something ({begun[0]}); finish or abort it first")
    ours = [path.resolve().relative_to(root.resolve()).as_posix() for path in paths]
    staged = names_in(repo, "diff", "--cached", "--name-only", "-z")
    others = [name for name in staged if not any(name == own or name.startswith(f"{own}/") for own in ours)]
    if others and not conflicts:
        said.append(f"git has other things staged ({others[0]!r}); commit or unstage them first")
    return tuple(said)


def committed_text(repo: Repo, path: Path, commit: str = "HEAD") -> str | None:
    """The file's text in a commit without the newlines at its end, none if that does not hold it, or is not there.

    Raises BadFileError where git cannot read it.
    """
    name = path.resolve().relative_to(Path(str(repo.working_tree_dir)).resolve()).as_posix()
    if not is_commit(repo, commit) or not names_in(repo, "ls-tree", "-z", "--full-tree", commit, "--", name):
        return None
    return read(repo, "cat-file", "blob", f"{commit}:{name}").rstrip("\n")


def commit_only(repo: Repo, paths: Sequence[Path], message: str, person: str, limit_s: float = COMMIT_TIMEOUT_S) -> str:
    """Commit exactly `paths` and return the commit's id. Raises GitCommandError, with nothing left staged.

    A commit that was made is one, also if git ended badly or was ended afterwards, in a hook that runs after it.
    """
    names = [str(path) for path in paths]
    before = _head(repo)
    with repo.git.custom_environment(**_identity(repo, person)):
        try:
            # Forced: what is on record must be in the commit, whatever a .gitignore says.
            repo.git.add("--force", "--", *names)
            _commit(repo, limit_s, "--quiet", "--only", "--message", message, "--", *names)
        except GitCommandError:
            if not _was_made(repo, before, names, message):
                _unstage(repo, names)
                raise
    return _head(repo)


def add_note(repo: Repo, ref: str, text: str, person: str) -> str:
    """Add a text to the note that `refs/notes/REF` keeps on HEAD; returns HEAD's id. Raises GitCommandError."""
    with repo.git.custom_environment(**_identity(repo, person)):
        repo.git.notes("--ref", ref, "append", "--message", text, "HEAD")
    return str(repo.git.rev_parse("HEAD"))


def words_of(error: GitCommandError) -> str:
    """Git's own words in one line."""
    said = str(error.stderr or error.stdout or error).strip().removeprefix("stderr:").strip().strip("'").strip()
    return one_line(said)


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


def _broken(found: Path) -> str:
    return (
        f"{str(found)!r} is there, but git takes it for no repository; "
        "mend it, bring it back from a clone, or take it away"
    )


def _head(repo: Repo) -> str:
    """The id of the commit that HEAD is; empty without one."""
    return str(repo.git.rev_parse("--verify", "--quiet", "HEAD", with_exceptions=False))


def _commit(repo: Repo, limit_s: float, *words: str) -> None:
    """`git commit`, told to end after the limit; a killed git would leave its locks. Raises GitCommandError."""
    command = [repo.git.GIT_PYTHON_GIT_EXECUTABLE or "git", "commit", *words]
    running = repo.git.execute(command, as_process=True)  # held: it ends its process when nobody holds it
    with cast("subprocess.Popen[bytes]", running.proc) as process:
        try:
            printed, said = process.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired:
            printed, said = b"", f"it did not end within {limit_s:g} s".encode()
        finally:
            ended = process.poll() is not None  # what a hook left in the background may still hold its output
            if not ended:
                _end(process)
    if process.returncode or not ended:
        raise GitCommandError(command, process.returncode, said, printed)


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    try:
        process.wait(GRACE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _was_made(repo: Repo, before: str, names: list[str], message: str) -> bool:
    """Whether a commit since `before` has the message's last paragraph, and HEAD holds the paths as they are here."""
    now = _head(repo)
    if now == before:
        return False
    try:
        said = history(repo, "--format=%B", now, *([f"^{before}"] if before else [])).splitlines()
        others = names_in(repo, "diff", "--name-only", "-z", now, "--", *names)
    except BadFileError:
        return False
    return not others and set(message.rstrip().rpartition("\n\n")[2].splitlines()) <= set(said)


def _unstage(repo: Repo, names: list[str]) -> None:
    if _head(repo):
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
