"""What goes to another host: all that is imported and nothing else, installed once, never over what is there."""

import ast
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from harness.hosts.bundle import bundle

WAIT_S = 60


def install(home: Path, program: bytes) -> dict[str, Any]:
    """What the program prints on a host whose login has that home."""
    command = [sys.executable, "-E", "-s", "-S", "-"]
    done = subprocess.run(
        command, input=program, env={"HOME": str(home)}, capture_output=True, timeout=WAIT_S, check=True
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_it_is_closed_under_imports_and_needs_the_standard_library_alone() -> None:
    made = bundle()
    names = {name for name, _ in made.files}
    assert {"harness/guardian.py", "harness/hosts/far.py", "harness/lease.py", "harness/look.py"} <= names
    assert not [name for name in names if "ssh" in name or "vocabulary" in name or "workflow" in name]
    foreign: set[str] = set()
    for name, content in made.files:
        for node in ast.walk(ast.parse(content, name)):
            modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            modules += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            for module in modules:
                top, path = module.partition(".")[0], module.replace(".", "/")
                if top == "harness":
                    assert {f"{path}.py", f"{path}/__init__.py"} & names, (name, module)
                elif top not in sys.stdlib_module_names:
                    foreign.add(module)
    assert foreign == set()


def test_it_is_installed_once_and_runs_by_itself(tmp_path: Path) -> None:
    made = bundle()
    assert bundle() == made
    first = install(tmp_path, made.program("kept"))
    place = tmp_path / "kept" / "code" / made.digest
    assert first == {"code": str(place), "folder": str(tmp_path / "kept")}
    assert {path.relative_to(place).as_posix() for path in place.rglob("*.py")} == {name for name, _ in made.files}
    before = {path: path.stat().st_mtime_ns for path in place.rglob("*.py")}
    assert install(tmp_path, made.program("kept")) == first
    assert {path: path.stat().st_mtime_ns for path in place.rglob("*.py")} == before
    assert [path.name for path in place.parent.iterdir()] == [made.digest]
    command = [sys.executable, "-E", "-s", "-S", str(place), "restore", str(tmp_path / "state")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=WAIT_S, check=False, cwd="/")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Nothing was ever recorded in ")
    done = subprocess.run([*command[:5], "dance"], capture_output=True, text=True, timeout=WAIT_S, check=False, cwd="/")
    assert (done.returncode, done.stderr) == (2, "usage: python3 FOLDER look|restore STATE_DIR\n")


def test_what_was_changed_there_is_refused_and_left_alone(tmp_path: Path) -> None:
    made = bundle()
    place = Path(install(tmp_path, made.program("kept"))["code"])
    changed = place / "harness" / "guardian.py"
    changed.write_text("pass\n", encoding="utf-8")
    assert install(tmp_path, made.program("kept")) == {
        "error": f"{str(place)!r} is not what was put there (harness/guardian.py differs); "
        "end what runs from it, remove it, and try again"
    }
    assert changed.read_text(encoding="utf-8") == "pass\n"


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("a file", encoding="utf-8")
    assert install(tmp_path, bundle().program("kept"))["error"].endswith("cannot be used (Not a directory)")


def test_an_older_python_is_named(tmp_path: Path) -> None:
    program = bundle().program("kept").replace(b"OLDEST = (3, 11)", b"OLDEST = (99, 0)")
    said = install(tmp_path, program)["error"]
    assert said == (
        f"its Python {sys.version.split()[0]} is older than 99.0; name a newer one in the target's host.python"
    )
    assert list(tmp_path.iterdir()) == []
