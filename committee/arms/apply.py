"""Applying a reviewer's patch with `git apply` in a copy of the files that it may change. Nothing of it is trusted."""

import os
import re
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from harness.vocabulary.base import BadFileError

GIT_S = 20.0  # a patch has at most 60,000 characters
HEADER = re.compile(r"^(?:---|\+\+\+) (?P<path>[^\t\n]+)", re.MULTILINE)
BLOCK = re.compile(r"^--- [^\n]*\n\+\+\+ [^\n]*\n(?=@@ )", re.MULTILINE)
EXTENDED = re.compile(
    r"^(?:old mode|new mode|new file mode|deleted file mode|rename |copy |similarity |GIT binary patch|Binary files)",
    re.MULTILINE,
)
WAYS: tuple[tuple[str, ...], ...] = ((), ("--recount",))  # as it stands; with its lines counted again
NOT_TEXT = "the patch makes, removes or renames files or changes their rights; it may change text only"
SHOWN = 300  # characters of git's words


def applied(files: Mapping[str, bytes], patch: str, allowed: Sequence[str]) -> dict[str, bytes] | str:
    """The files that the patch changes, as it leaves them; or one sentence why it does not apply.

    It may change text of the `allowed` files and nothing else. Line ends stay what they are in each file, because
    reviewers are shown none.
    """
    named = _named(patch)
    if isinstance(named, str):
        return named
    strangers = sorted(set(named) - set(allowed))
    if strangers:
        return f"the patch changes {strangers[0]!r}, which it may not; it may change {', '.join(allowed) or 'nothing'}"
    with tempfile.TemporaryDirectory(prefix="committee-patch-") as scratch:
        folder = Path(scratch)
        for path in named:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(files[path].replace(b"\r\n", b"\n"))
        way = next((way for way in WAYS if not _git(folder, patch, "--check", *way)), None)
        if way is None:
            return f"the patch does not apply: {_git(folder, patch, '--check')}"
        _git(folder, patch, *way)
        if not all((folder / path).is_file() for path in named):  # git takes the oldest of dates for "removed"
            return NOT_TEXT
        made = {path: _ended_as(files[path], (folder / path).read_bytes()) for path in named}
    changed = {path: content for path, content in made.items() if content != files[path]}
    return changed or "the patch changes nothing"


def _named(patch: str) -> list[str] | str:
    """The paths that a patch names, each once; or why it is none that is taken."""
    if EXTENDED.search(patch):
        return NOT_TEXT
    blocks = [HEADER.findall(block[0]) for block in BLOCK.finditer(patch)]
    if not blocks:
        return "the patch is no unified diff: it needs lines that begin with '--- a/', '+++ b/' and '@@'"
    paths: list[str] = []
    for before, after in blocks:
        if not before.startswith("a/") or not after.startswith("b/") or before[2:].strip() != after[2:].strip():
            return f"the patch's lines '--- {before[:80]}' and '+++ {after[:80]}' must name one file, after a/ and b/"
        paths.append(before[2:].strip())
    return list(dict.fromkeys(paths))


def _ended_as(before: bytes, after: bytes) -> bytes:
    """The content with the line ends that the file had; one that mixes them keeps plain ones."""
    every = before.count(b"\n")
    return after.replace(b"\n", b"\r\n") if every and before.count(b"\r\n") == every else after


def _git(folder: Path, patch: str, *words: str) -> str:
    """Run `git apply` in the copy; its complaint, empty when it did. Raises BadFileError where there is no git."""
    env = {
        "PATH": os.defpath,
        "HOME": str(folder),
        "LC_ALL": "C",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CEILING_DIRECTORIES": str(folder.parent),
    }
    argv = ("git", "apply", "--whitespace=nowarn", *words, "-")
    text = patch if patch.endswith("\n") else f"{patch}\n"
    try:
        done = subprocess.run(
            argv, cwd=folder, input=text.encode(), capture_output=True, timeout=GIT_S, check=False, env=env
        )
    except FileNotFoundError as error:
        raise BadFileError("git is not installed, so no patch can be tried; install git") from error
    except subprocess.TimeoutExpired:
        return f"git took more than {GIT_S:g} s"
    said = " ".join(done.stderr.decode(errors="replace").split())
    return "" if done.returncode == 0 else said[:SHOWN] or f"git ended with status {done.returncode}"
