"""What a task's two Python files need of the machine that runs them, beyond Python and NumPy: read, never run."""

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from harness.vocabulary.base import BadFileError

FUNCTIONS = {"inputs.py": "make", "reference.py": "reference"}  # what the bench calls in each
GIVEN = frozenset({"numpy", "__future__", "__main__", *sys.stdlib_module_names})


@dataclass(frozen=True)
class Need:
    """One module that has to be installed where the task is run."""

    module: str  # the outermost name
    file: str  # inside the folder
    line: int
    here: bool  # whether it is installed on this machine

    @property
    def sentence(self) -> str:
        """What is needed, where it is imported, and whether it is here."""
        there = "" if self.here else ", which is not installed here"
        return f"{self.file} line {self.line} imports {self.module!r}{there}: it must be where the task is run"


def needed(folder: Path) -> tuple[Need, ...]:
    """The modules as they are met, also by files beside that are imported. Raises BadFileError with one sentence."""
    found: dict[str, Need] = {}
    waiting, seen = list(FUNCTIONS), set[str]()
    while waiting:
        name = waiting.pop(0)
        if name in seen:
            continue
        seen.add(name)
        tree = _parsed(folder / name)
        if name in FUNCTIONS and FUNCTIONS[name] not in _bound(tree):
            raise BadFileError(f"{str(folder / name)!r} has no function {FUNCTIONS[name]!r}; the bench calls it")
        for module, line in _imported(tree):
            if (folder / f"{module}.py").is_file():
                waiting.append(f"{module}.py")
            elif module not in GIVEN and module not in found:
                found[module] = Need(module, name, line, find_spec(module) is not None)
    return tuple(found.values())


def _parsed(path: Path) -> ast.Module:
    try:
        return ast.parse(path.read_bytes(), str(path))
    except (SyntaxError, ValueError) as error:
        line = f" (line {error.lineno})" if isinstance(error, SyntaxError) else ""
        said = error.msg if isinstance(error, SyntaxError) else str(error)
        raise BadFileError(f"{str(path)!r} is no Python that can be read: {said}{line}; correct it there") from error


def _imported(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Outermost names of modules that are imported anywhere in it, with their lines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name.partition(".")[0], node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module.partition(".")[0], node.lineno


def _bound(tree: ast.Module) -> set[str]:
    """Names that the file binds at its outermost level."""
    names = set[str]()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.Assign | ast.If | ast.Try | ast.With):
            names |= {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
            names |= {one.name for one in ast.walk(node) if isinstance(one, ast.FunctionDef)}
    return names
