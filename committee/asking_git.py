"""Asking the workspace's git: the same words whatever a person's settings are, and what git cannot read is said.

Git itself is asked, never its files: an index or references of a newer form are its own affair. Nothing here writes.
"""

from dataclasses import dataclass

from git import Repo

from harness.vocabulary.base import BadFileError

MOST_WORDS = 500  # characters of git's own words; what it says of a repository of another account fits
PLAIN = (
    "--no-optional-locks",  # a look takes no lock from a person's own git
    # A person's settings that change what is printed, or what counts as a trailer:
    *("-c", "log.showSignature=false"),
    *("-c", "i18n.logOutputEncoding=UTF-8"),
    *("-c", "trailer.separators=:"),
    *("-c", "core.commentChar=#"),
    *("-c", "color.ui=false"),
    *("-c", "diff.renames=false"),
    *("-c", "diff.relative=false"),
)


@dataclass(frozen=True)
class Answer:
    """How git ended."""

    status: int
    printed: bytes
    said: str  # on the side: errors and warnings


def read(repo: Repo, *words: str) -> str:
    """What a git command prints, whatever a person's settings are. Raises BadFileError, in git's own words."""
    return read_bytes(repo, *words).decode("utf-8", "surrogateescape").removesuffix("\n")


def read_bytes(repo: Repo, *words: str) -> bytes:
    """The same, byte for byte."""
    answer = _asked(repo, *words)
    if answer.status:
        raise _unreadable(repo, answer.said)
    return answer.printed


def names_in(repo: Repo, *words: str) -> tuple[str, ...]:
    """The names that a git command prints with zeros between them (`-z`), in its order. Raises BadFileError."""
    return tuple(name for name in read(repo, *words).split("\x00") if name)


def history(repo: Repo, *words: str) -> str:
    """What `git log` prints of the checked-out history; nothing before its first commit. Raises BadFileError."""
    try:
        return read(repo, "log", *words)
    except BadFileError:
        if has_commit(repo):
            raise
        return ""


def has_commit(repo: Repo) -> bool:
    """Whether anything was committed where HEAD is. Raises BadFileError where git cannot tell."""
    answer = _asked(repo, "symbolic-ref", "--quiet", "HEAD")
    if answer.status > 1:
        raise _unreadable(repo, answer.said)
    return answer.status == 1 or has_reference(repo, _text(answer))  # 1: a commit without a branch


def is_commit(repo: Repo, name: str) -> bool:
    """Whether there is a commit by that name, such as `HEAD^`. Raises BadFileError where git cannot tell."""
    answer = _asked(repo, "rev-parse", "--verify", "--quiet", name)
    if answer.status > 1:
        raise _unreadable(repo, answer.said)
    return not answer.status


def has_reference(repo: Repo, name: str) -> bool:
    """Whether a branch or another reference is there. Raises BadFileError for one that git cannot read."""
    answer = _asked(repo, "for-each-ref", "--format=%(refname)", name)
    if answer.status or name in answer.said:  # git passes over a broken one with a warning only
        raise _unreadable(repo, answer.said)
    return name in _text(answer).splitlines()


def one_line(said: str) -> str:
    """Git's words without their line ends, cut where they are long."""
    return " ".join(said.split())[:MOST_WORDS] or "no reason given"


def _asked(repo: Repo, *words: str) -> Answer:
    status, printed, said = repo.git.execute(
        [repo.git.GIT_PYTHON_GIT_EXECUTABLE or "git", *PLAIN, *words],
        with_extended_output=True,
        with_exceptions=False,
        stdout_as_string=False,
        strip_newline_in_stdout=False,
    )
    return Answer(status, printed, said)


def _text(answer: Answer) -> str:
    return answer.printed.decode("utf-8", "surrogateescape").removesuffix("\n")


def _unreadable(repo: Repo, said: str) -> BadFileError:
    return BadFileError(
        f"git cannot read the repository {str(repo.working_tree_dir)!r}: {one_line(said)}; "
        "mend that, or bring the repository back from a clone, and try again"
    )
