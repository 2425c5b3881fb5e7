"""Builds on a real host under a real guardian: beside the reference and never over it, shut in, known again."""

import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.confinement import NAMESPACES
from harness.hosts.local import LocalHost
from harness.overlay.building import Built, Way, built_from_json, own_folder, record_of, scratch, shut_in, ways
from harness.vocabulary.changes import Build
from harness.vocabulary.listed import AllowedBuild
from harness.workflow.building import as_entry, build_one, recorded_build
from tests.harness.hosts.yard import a_yard

MAKE = "echo made >&2; printf object > {output}"


@pytest.fixture
async def host(tmp_path: Path) -> AsyncIterator[LocalHost]:
    with a_yard(tmp_path) as yard:
        for name in ("out", "src", "reference"):
            (tmp_path / name).mkdir()
        host = await LocalHost.open(yard.state)
        yield host
        await host.close()


def allowed(root: Path, **changes: Any) -> AllowedBuild:
    value = {"programs": ["/bin/sh"], "folders": [str(root / "src")], "output": str(root / "out"), "unconfined": True}
    return AllowedBuild.model_validate(value | {"reference": [str(root / "reference")], "timeout_s": 20} | changes)


def build(root: Path, script: str = MAKE, name: str = "a.so") -> Build:
    output = str(root / "out" / Path(name).stem / name)
    return Build(argv=("/bin/sh", "-c", script.format(output=output)), cwd=str(root / "src"), output=output)


async def test_a_build_is_made_written_down_and_known_again(host: LocalHost, tmp_path: Path) -> None:
    step = build(tmp_path)
    built = await build_one(host, step, allowed(tmp_path))
    assert isinstance(built, Built), built
    assert Path(step.output).read_text() == "object"
    assert Path(step.output).stat().st_mode & 0o222 == 0
    assert "made" in built.log
    again = await build_one(host, step, allowed(tmp_path))
    assert again == built == await recorded_build(host, step)
    entry = as_entry(built)
    assert (entry.sha256, entry.log.size, entry.confined) == (built.sha256, len(built.log), built.confined)


async def test_nothing_is_ever_built_over_what_is_there(host: LocalHost, tmp_path: Path) -> None:
    step = build(tmp_path)
    Path(step.output).parent.mkdir()
    Path(step.output).write_text("somebody's")
    said = await build_one(host, step, allowed(tmp_path))
    assert said == f"{step.output!r} exists already and no build is ever written over another; name a new output"
    assert Path(step.output).read_text() == "somebody's"
    assert isinstance(await build_one(host, build(tmp_path, name="b.so"), allowed(tmp_path)), Built)
    (tmp_path / "out" / "b" / "b.so").chmod(0o644)
    (tmp_path / "out" / "b" / "b.so").write_text("changed since")
    assert "exists already" in str(await build_one(host, build(tmp_path, name="b.so"), allowed(tmp_path)))


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("echo no such header; exit 3", "ended with status 3; it said last: no such header"),
        ("true", "ended well and made nothing; it said last: nothing"),
        ("sleep 60", "was ended after 1 s; it said last: nothing"),
    ],
)
async def test_a_build_that_fails_says_its_last_words(host: LocalHost, tmp_path: Path, script: str, said: str) -> None:
    step = build(tmp_path, script)
    assert str(await build_one(host, step, allowed(tmp_path, timeout_s=1))).endswith(said)
    assert not Path(record_of(step.output)).exists()


async def test_folders_that_lead_elsewhere_are_refused(host: LocalHost, tmp_path: Path) -> None:
    (tmp_path / "out").rmdir()
    (tmp_path / "out").symlink_to(tmp_path / "reference")
    said = await build_one(host, build(tmp_path), allowed(tmp_path))
    assert f"{str(tmp_path / 'out')!r} leads to {str(tmp_path / 'reference')!r}" in str(said)
    (tmp_path / "out").unlink()
    assert "does not exist on the host; make it" in str(await build_one(host, build(tmp_path), allowed(tmp_path)))


async def test_without_a_way_to_shut_it_in_it_is_refused(
    host: LocalHost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a container: `unshare` is there, and the kernel refuses."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("readlink", "mkdir", "ls"):
        (programs / name).symlink_to(str(shutil.which(name)))
    monkeypatch.setattr("harness.workflow.building.FIXED_PATH", str(programs))
    step, strict = build(tmp_path), allowed(tmp_path, unconfined=False)
    said = "a build cannot be shut in on the host: bwrap is not installed; unshare is "
    assert str(await build_one(host, step, strict)).startswith(
        f"{said}not installed; install bubblewrap, or set build."
    )
    (programs / "unshare").write_text("#!/bin/sh\necho unshare: unshare failed: Operation not permitted >&2\nexit 1\n")
    (programs / "unshare").chmod(0o755)
    answer = "here and answered 'unshare: unshare failed: Operation not permitted'; where a user namespace is refused"
    assert str(await build_one(host, step, strict)).startswith(said + answer)
    assert not Path(step.output).exists()


@pytest.mark.parametrize(
    ("answer", "advice"),
    [
        ("exit 120", "unshare is here and answered 'this kernel has no Landlock'; install bubblewrap"),
        (
            f'exec {sys.executable} -I -c \'import os; os.execvp("setpriv", ["setpriv"])\'',
            f"setpriv is not installed; unshare is here and answered 'refused'; {NAMESPACES}; "
            "otherwise install bubblewrap",
        ),
    ],
)
async def test_namespaces_are_named_only_where_one_was_refused(
    host: LocalHost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str, advice: str
) -> None:
    """As root none is made: what `unshare` runs may be missing, and so may what the kernel must have."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("readlink", "mkdir", "ls"):
        (programs / name).symlink_to(str(shutil.which(name)))
    refuses = "" if "120" in answer else "if [ $1 = --user ]; then echo refused; exit 1; fi\n"
    passes = 'while [ $1 != -- ]; do shift; done\nshift\nexec "$@"\n'
    for name, script in (("unshare", refuses + passes), ("python", f"{answer}\n")):
        (programs / name).write_text(f"#!/bin/sh\n{script}")
        (programs / name).chmod(0o755)
    monkeypatch.setattr("harness.workflow.building.FIXED_PATH", str(programs))
    strict, python = allowed(tmp_path, unconfined=False), str(programs / "python")
    said = f"a build cannot be shut in on the host: bwrap is not installed; {advice}, or set build.unconfined"
    assert str(await build_one(host, build(tmp_path), strict, python)).startswith(said)


@pytest.fixture
def open_ground() -> Iterator[Path]:
    """Folders of a build that everybody may reach. Not below pytest's own: every pytest that starts on this machine
    takes the others' rights from that root (`TempPathFactory.getbasetemp`), also while a build of nobody's runs."""
    with tempfile.TemporaryDirectory(prefix="build-") as name:
        for folder in (ground := Path(name), *(ground / each for each in ("out", "src", "reference"))):
            folder.mkdir(exist_ok=True)
            folder.chmod(0o777)
        yield ground


@pytest.mark.system
@pytest.mark.parametrize("way", list(Way))
async def test_a_build_that_is_shut_in_has_no_network_and_writes_nowhere_but_in_its_own_folder(
    host: LocalHost, open_ground: Path, monkeypatch: pytest.MonkeyPatch, way: Way
) -> None:
    monkeypatch.setattr("harness.workflow.building.ways", lambda allowed: (way,))
    ground = open_ground
    (ground / "reference" / "old.so").write_text("reference")
    tries = "; ".join(
        f"echo x > {ground}/{name}" for name in ("reference/old.so", "reference/new.so", "src/b.o", "out/other.so")
    )
    step = build(ground, f"{tries}; echo t > $TMPDIR/t && rm $TMPDIR/t && cat /proc/net/dev > {{output}}")
    built = await build_one(host, step, allowed(ground, unconfined=False))
    assert isinstance(built, Built) and built.confined == way, built
    assert (ground / "reference" / "old.so").read_text() == "reference"
    found = {
        str(path.relative_to(ground)) for name in ("reference", "src", "out") for path in Path(ground, name).rglob("*")
    }
    assert found == {"reference/old.so", "out/a", "out/a/a.so", "out/a/a.so.build.json"}
    interfaces = [line.split(":")[0].strip() for line in Path(step.output).read_text().splitlines() if ":" in line]
    assert interfaces == ["lo"] or way is Way.UNCONFINED


async def test_two_builds_never_share_a_folder(host: LocalHost, tmp_path: Path) -> None:
    assert isinstance(await build_one(host, build(tmp_path), allowed(tmp_path)), Built)
    other = build(tmp_path).model_copy(update={"output": str(tmp_path / "out" / "a" / "b.so")})
    assert "is the folder of another build (a.so.build.json)" in str(await build_one(host, other, allowed(tmp_path)))


def test_the_ways_and_their_order(tmp_path: Path) -> None:
    step, may = build(tmp_path), allowed(tmp_path)
    assert ways(may) == tuple(Way)
    assert Way.UNCONFINED not in ways(allowed(tmp_path, unconfined=False))
    words = shut_in(Way.BWRAP, step, may, step.argv, "python3")
    assert words[words.index("--") + 1 :] == step.argv
    assert "--unshare-all" in words and words.count("--bind") == 1
    assert words.index("--ro-bind-try") > words.index("--bind")  # the reference stays closed whatever was opened
    assert words[words.index("--ro-bind-try") + 1] == str(tmp_path / "reference")
    assert shut_in(Way.NOBODY, step, may, step.argv, "python3")[:2] == ("unshare", "--net")
    free = shut_in(Way.UNCONFINED, step, may, step.argv, "python3")
    assert free[0] == "python3" and free[-len(step.argv) - 2 :] == (own_folder(step), "may", *step.argv)
    assert scratch(Way.BWRAP, step) == "/tmp" and scratch(Way.NOBODY, step) == own_folder(step)


@pytest.mark.parametrize("content", [b"", b"[]", b'{"argv": 1}', b'{"argv": ["x"], "cwd": "/", "output": "/x"}'])
def test_what_is_no_record_of_this_build_is_none(tmp_path: Path, content: bytes) -> None:
    assert built_from_json(content, build(tmp_path)) is None


def test_a_record_of_another_command_is_none(tmp_path: Path) -> None:
    one, other = build(tmp_path), build(tmp_path, "exit 1")
    record = Built(one.argv, one.cwd, one.output, "a" * 64, Way.BWRAP, 1.0, "").to_json().encode()
    assert built_from_json(record, one) is not None
    assert built_from_json(record, other) is None
