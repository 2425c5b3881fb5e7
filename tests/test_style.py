"""Enforces the sizes and names of style.md on every Python file; all offenders are listed at once."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("committee", "harness", "ledger", "tests", "benchmarks")
KERNEL_ENDINGS = (".cu", ".cuh", ".c", ".h")
MAX_LINES, MAX_TEST_LINES, MAX_FUNCTION_LINES, MAX_PARAMETERS = 300, 500, 40, 6
VAGUE_NAMES = frozenset({"utils", "util", "helper", "helpers", "manager", "managers", "common", "misc"})
COPIED_FILES = (  # go to the target's host together
    *("harness/guardian.py", "harness/probation.py", "harness/servers.py", "harness/procfs.py"),
    "harness/shortened.py",
    "harness/overlay/__init__.py",
    *(f"harness/overlay/{name}.py" for name in ("apply", "edits", "gguf", "steps", "undo")),
)
COPIED_MODULES = tuple(name.removesuffix(".py").replace("/", ".") for name in COPIED_FILES)
THIS_FILE = Path(__file__).name  # it has to spell what it forbids
FORBIDDEN_TEXT = {
    r"\b(TODO|FIXME|XXX)\b": "unfinished work is an issue, not a comment",
    r"(?<![\w.])/(root|work|home/\w+|Users/\w+|tmp/\w+)/\w": "absolute path of a machine",
    r"\b(pypi\.org|files\.pythonhosted\.org|registry\.npmjs\.org|index-url)": "host of a package registry",
    r"\b(from unittest import mock|import unittest\.mock|unittest\.mock\b|MagicMock)": "mock of our own code",
}

Function = ast.FunctionDef | ast.AsyncFunctionDef


def python_files(root: Path) -> list[Path]:
    """Tracked files and those lying in the project's folders, as paths inside the root."""
    listed = subprocess.run(
        ["git", "ls-files", "*.py"], cwd=root, capture_output=True, text=True, check=False, timeout=30
    ).stdout.split("\n")
    tracked = {Path(name) for name in listed if name and (root / name).is_file()}
    lying = {path.relative_to(root) for folder in FOLDERS for path in (root / folder).rglob("*.py")}
    return sorted(path for path in tracked | lying if "__pycache__" not in path.parts)


def offences(path: Path, text: str) -> Iterator[str]:
    """Every rule that one file breaks."""
    yield from _length(path, text)
    if any(part.removesuffix(".py") in VAGUE_NAMES for part in path.parts):
        yield f"{path}: the name says nothing; use a noun of the vocabulary"
    yield from _forbidden_text(path, text)
    tree = ast.parse(text, filename=str(path))
    if text.strip() and ast.get_docstring(tree) is None:
        yield f"{path}:1: no module docstring"
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _function(path, node)
    if path.as_posix() in COPIED_FILES:
        yield from _foreign_imports(path, tree)


def _length(path: Path, text: str) -> Iterator[str]:
    lines = text.count("\n") + (not text.endswith("\n") and bool(text))
    limit = MAX_TEST_LINES if path.parts[0] == "tests" else MAX_LINES
    if lines > limit:
        yield f"{path}: {lines} lines, at most {limit}"


def _forbidden_text(path: Path, text: str) -> Iterator[str]:
    if path.name == THIS_FILE:
        return
    for number, line in enumerate(text.splitlines(), 1):
        for pattern, why in FORBIDDEN_TEXT.items():
            if re.search(pattern, line):
                yield f"{path}:{number}: {why}"


def _function(path: Path, node: Function) -> Iterator[str]:
    length = (node.end_lineno or node.lineno) - node.lineno + 1
    if length > MAX_FUNCTION_LINES:
        yield f"{path}:{node.lineno}: {node.name} has {length} lines, at most {MAX_FUNCTION_LINES}"
    arguments = node.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    count = sum(1 for argument in named if argument.arg not in ("self", "cls"))
    if count > MAX_PARAMETERS and not _is_command(path, node):
        yield f"{path}:{node.lineno}: {node.name} has {count} parameters, at most {MAX_PARAMETERS}"


def _is_command(path: Path, node: Function) -> bool:
    """Whether typer reads the parameters: by a decorator, or by `app.command(...)(function)` in the same folder."""
    if any(_is_command_call(decorator) for decorator in node.decorator_list):
        return True
    return "cli" in path.parts and node.name in _registered(ROOT / path.parent)


def _is_command_call(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    return node.func.attr in ("command", "callback")


@cache
def _registered(folder: Path) -> frozenset[str]:
    """Names of the functions that a file of the folder makes commands of."""
    names: set[str] = set()
    for file in folder.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and _is_command_call(node.func):
                names |= {ast.unparse(argument).rpartition(".")[2] for argument in node.args}
    return frozenset(names)


def _foreign_imports(path: Path, tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = ["." * node.level + (node.module or "")]
        else:
            continue
        for name in names:
            if name.split(".")[0] not in sys.stdlib_module_names and name not in COPIED_MODULES:
                yield f"{path}:{node.lineno}: imports {name!r}; the guardian's files are copied alone to other hosts"


def test_every_file_keeps_to_the_style() -> None:
    found = [
        offence for path in python_files(ROOT) for offence in offences(path, (ROOT / path).read_text(encoding="utf-8"))
    ]
    assert not found, f"{len(found)} offences against style.md:\n" + "\n".join(found)


def test_every_kernel_source_keeps_to_the_length() -> None:
    sources = [
        path.relative_to(ROOT)
        for folder in ("kernels", "harness/kernels")
        for ending in KERNEL_ENDINGS
        for path in (ROOT / folder).rglob(f"*{ending}")
    ]
    assert len(sources) > 50
    assert not [said for path in sources for said in _length(path, (ROOT / path).read_text(encoding="utf-8"))]


def test_all_folders_are_looked_at() -> None:
    seen = {path.parts[0] for path in python_files(ROOT)}
    assert {"committee", "harness", "ledger", "tests"} <= seen


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("committee/a.py", '"""Doc."""\n' + "x = 1\n" * 300, "301 lines, at most 300"),
        ("tests/test_a.py", '"""Doc."""\n' + "x = 1\n" * 500, "501 lines, at most 500"),
        ("harness/utils.py", '"""Doc."""\n', "the name says nothing"),
        ("harness/common/a.py", '"""Doc."""\n', "the name says nothing"),
        ("harness/a.py", "x = 1\n", "no module docstring"),
        ("harness/a.py", '"""Doc."""\n# TODO later\n', "unfinished work"),
        ("harness/a.py", '"""Doc."""\nfrom unittest import mock\n', "mock of our own code"),
        ("harness/a.py", '"""Doc."""\nx = "/home/somebody/thing"\n', "absolute path of a machine"),
        ("harness/a.py", '"""Doc."""\nx = "--index-url"\n', "host of a package registry"),
        ("harness/a.py", '"""Doc."""\ndef f(a, b, c, d, e, f, g): ...\n', "f has 7 parameters, at most 6"),
        ("harness/a.py", '"""Doc."""\ndef f():\n' + "    x = 1\n" * 40, "f has 41 lines, at most 40"),
        ("harness/guardian.py", '"""Doc."""\nimport httpx\n', "imports 'httpx'"),
        ("harness/guardian.py", '"""Doc."""\nfrom harness.lease import x\n', "imports 'harness.lease'"),
    ],
)
def test_each_rule_catches_its_offence(name: str, text: str, said: str) -> None:
    assert any(said in offence for offence in offences(Path(name), text))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("tests/test_a.py", '"""Doc."""\n' + "x = 1\n" * 499),
        ("harness/a.py", '"""Doc."""\nclass A:\n    def f(self, a, b, c, d, e, f): ...\n'),
        ("harness/cli/a.py", '"""Doc."""\n@app.command("x")\ndef f(a, b, c, d, e, f, g): ...\n'),
        ("harness/guardian.py", '"""Doc."""\nimport os\nfrom harness.procfs import x\n'),
        ("harness/hosts/__init__.py", ""),
    ],
)
def test_what_the_style_allows_passes(name: str, text: str) -> None:
    assert list(offences(Path(name), text)) == []
