"""Tree ids are git's own: every example is compared with `git write-tree`."""

import subprocess
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from committee.proposals.tree import TreeFile, tree_id

NAME = st.sampled_from(["a", "a.b", "a-b", "a0", "b", "A", "ab", "é", "文件.md"])
PATHS = st.dictionaries(st.lists(NAME, min_size=1, max_size=3).map("/".join), st.binary(max_size=40), max_size=8)
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"  # git's well-known id of the empty tree


def git_tree(folder: Path) -> str:
    """What git itself calls the content of `folder`."""
    work = ["git", "-c", "core.autocrlf=false", "-C", str(folder)]
    subprocess.run([*work, "init", "-q"], check=True)
    subprocess.run([*work, "add", "--all", "--force"], check=True)
    return subprocess.run([*work, "write-tree"], check=True, capture_output=True, text=True).stdout.strip()


def test_no_files_are_the_empty_tree() -> None:
    assert tree_id([]) == EMPTY_TREE


@given(PATHS, st.data())
def test_order_does_not_matter(contents: dict[str, bytes], data: st.DataObject) -> None:
    files = [TreeFile(path, content) for path, content in contents.items() if not _inside_a_file(path, contents)]
    assert tree_id(files) == tree_id(data.draw(st.permutations(files)))


@settings(max_examples=15, deadline=None)
@given(PATHS.filter(bool), st.sets(st.integers(0, 7)))
def test_equal_to_git(contents: dict[str, bytes], executable: set[int]) -> None:
    files = [
        TreeFile(path, content, number in executable)
        for number, (path, content) in enumerate(contents.items())
        if not _inside_a_file(path, contents)
    ]
    with tempfile.TemporaryDirectory() as folder:
        for file in files:
            path = Path(folder, file.path)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(file.content)
            path.chmod(0o755 if file.executable else 0o644)
        assert tree_id(files) == git_tree(Path(folder))


def _inside_a_file(path: str, contents: dict[str, bytes]) -> bool:
    parts = path.split("/")
    return any("/".join(parts[:length]) in contents for length in range(1, len(parts)))
