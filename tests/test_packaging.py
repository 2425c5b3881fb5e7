"""A built wheel holds everything that the packages read at run time, and its commands start."""

import os
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("committee", "harness", "ledger")
NOT_SHIPPED = frozenset({".pyc"})
LIMIT_S = 180

pytestmark = pytest.mark.system


def ran(argv: list[str], **more: str) -> str:
    """Output of a command that must succeed."""
    done = subprocess.run(
        argv, cwd=ROOT, capture_output=True, text=True, timeout=LIMIT_S, check=False, env={**os.environ, **more}
    )
    assert done.returncode == 0, f"{argv} ended with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy of the tracked and untracked files, so that the checkout stays clean."""
    source, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for name in listed_files():
        target = source / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((ROOT / name).read_bytes())
    ran([sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", str(out), str(source)])
    (built,) = out.glob("*.whl")
    return built


def listed_files() -> list[str]:
    """What git tracks or would track."""
    listed = ran(["git", "ls-files", "--cached", "--others", "--exclude-standard"]).splitlines()
    return [name for name in listed if (ROOT / name).is_file()]


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel in a fresh environment that sees this environment's dependencies and not this checkout."""
    home = tmp_path_factory.mktemp("fresh") / "venv"
    ran([sys.executable, "-m", "venv", "--without-pip", str(home)])
    python = home / "bin" / "python"
    site = Path(ran([str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]).strip())
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-deps", "--no-index", "--quiet"]
    ran([*pip, "--disable-pip-version-check", str(wheel)])
    (site / "dependencies.pth").write_text("\n".join(dependency_folders()) + "\n", encoding="utf-8")
    return home


def dependency_folders() -> Iterator[str]:
    """Site folders of this environment; a .pth file inside them, such as an editable install's, is not followed."""
    for folder in dict.fromkeys(sys.path):
        if Path(folder).name == "site-packages":
            yield folder


def test_everything_read_at_run_time_is_inside(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        held = set(archive.namelist())
    wanted = {
        name for name in listed_files() if name.split("/")[0] in PACKAGES and Path(name).suffix not in NOT_SHIPPED
    }
    missing = sorted(wanted - held)
    assert not missing, "not in the wheel (see package-data in pyproject.toml):\n" + "\n".join(missing)


def test_no_tests_and_no_stray_top_level_package_are_inside(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        tops = {name.split("/")[0] for name in archive.namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == set(PACKAGES)


def test_types_and_licence_travel_along(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        held = archive.namelist()
    assert {f"{package}/py.typed" for package in PACKAGES} <= set(held)
    assert any(name.endswith("licenses/LICENSE") for name in held)
    assert {"committee/report/report.css", "committee/report/templates/report.html.j2"} <= set(held)


@pytest.mark.parametrize("command", ["committee", "harness"])
def test_the_installed_command_starts_and_comes_from_the_wheel(installed: Path, command: str) -> None:
    script = installed / "bin" / command
    assert "Usage" in ran([str(script), "--help"], PYTHONPATH="", COLUMNS="100")
    where = f"import {command}, pathlib; print(pathlib.Path({command}.__file__).resolve())"
    found = Path(ran([str(installed / "bin" / "python"), "-P", "-c", where], PYTHONPATH="").strip())
    assert found.is_relative_to(installed.resolve())


def test_the_report_finds_its_template_and_style_in_the_wheel(installed: Path, tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from committee.report import build; from ledger.store import Ledger; "
        "print(build(Ledger.open(Path(sys.argv[1]), actor='test', create=True)))"
    )
    page = ran([str(installed / "bin" / "python"), "-P", "-c", code, str(tmp_path / "records.db")], PYTHONPATH="")
    assert "Nothing is recorded yet." in page
    assert "prefers-color-scheme" in page


def test_the_version_is_the_projects(wheel: Path) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert wheel.name.startswith(f"{project['name']}-{project['version']}-")
