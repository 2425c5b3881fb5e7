"""Packing: flags that may be given, folders that may be written, and the pack as a program of its own."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from harness.kernels.compile_c import refused_flag
from harness.kernels.confine import Shut, Way, best_way, shut_in
from harness.kernels.folder import read_folder
from harness.kernels.pack import pack
from harness.vocabulary.base import BadFileError
from tests.harness.kernels.tasks import SAXPY, copied


def test_flags_choose_code_and_reach_no_files() -> None:
    assert refused_flag(("-O3", "-march=native", "-mavx2", "-ffast-math", "-DROWS=4", "-fopenmp", "-std=c11")) is None
    for flag in (
        "-I/etc",
        "-include",
        "@file",
        "-fplugin=x.so",
        "-o",
        "-B.",
        "-Wl,-rpath",
        "-specs=x",
        "-wrapper",
        "x.c",
    ):
        assert refused_flag(("-O2", flag)) == flag


def test_a_folder_with_something_in_it_is_not_packed_into(tmp_path: Path) -> None:
    (tmp_path / "note").touch()
    with pytest.raises(BadFileError, match="is not empty; name a new or an empty folder"):
        pack(read_folder(SAXPY), tmp_path)


def test_a_refused_flag_is_the_arms_reason_and_the_others_are_built(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    (folder / "arms" / "vectors.toml").write_text('flags = ["-fplugin=evil.so"]', encoding="utf-8")
    plan = pack(read_folder(folder), tmp_path / "pack").plan
    assert plan.arm("plain").objects == {"c": "objects/plain/arm.so"}
    assert plan.arm("vectors").refused == "compile_error"
    assert plan.arm("vectors").detail == "flag '-fplugin=evil.so' is not allowed; take options that choose code only"


def test_a_pack_is_a_program_of_its_own(tmp_path: Path) -> None:
    made = pack(read_folder(copied(tmp_path)), tmp_path / "pack")
    out = tmp_path / "out.json"
    argv = [sys.executable, str(made.path / "runner.py"), str(made.path), str(out), "--arm", "plain", "--seed", "4"]
    subprocess.run([*argv, "--lock", str(tmp_path / "lock")], check=True, timeout=60, env={"PATH": "/usr/bin:/bin"})
    report = json.loads(out.read_text(encoding="utf-8"))
    assert [(arm["arm"], arm["reason"]) for arm in report["arms"]] == [("plain", "")]
    modules = {path.name for path in (made.path / "harness" / "kernels").rglob("*.py")}
    assert "task.py" not in modules  # what needs pydantic stays here


def test_compilers_and_runners_are_shut_in(tmp_path: Path) -> None:
    words = shut_in(Way.BWRAP, ("gcc", "x.c"), Shut((tmp_path / "read",), (tmp_path / "write",)))
    assert words[-3:] == ("--", "gcc", "x.c")
    assert {"--unshare-all", "--clearenv", "--die-with-parent"} < set(words)
    assert words[words.index("--uid") + 1] == "65534"
    binds = [words[at + 1] for at, word in enumerate(words) if word == "--bind"]
    assert binds == [str(tmp_path / "write")]
    assert "/" not in words
    assert shut_in(Way.NO_NETWORK, ("gcc",), Shut())[:4] == ("unshare", "--user", "--map-current-user", "--net")
    assert isinstance(best_way(unconfined=True), Way)


REFUSED = "unshare: unshare failed: Operation not permitted"


def test_what_was_tried_in_vain_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a container: the programs are there, and the kernel refuses."""
    monkeypatch.setenv("PATH", str(tmp_path))
    said = "compilers and kernels cannot be shut in here: bwrap is not installed; "
    with pytest.raises(BadFileError, match=f"^{said}unshare is not installed; setpriv is not installed; install bubb"):
        pack(read_folder(SAXPY), tmp_path / "pack")
    for name, script in (("unshare", f"echo {REFUSED} >&2; exit 1"), ("setpriv", "exit 1")):
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)
    with pytest.raises(BadFileError, match=f"^{said}unshare is here and answered '{REFUSED}'; where .* --unconfined"):
        pack(read_folder(SAXPY), tmp_path / "pack")
    assert not (tmp_path / "pack").exists()
    assert best_way(unconfined=True) is Way.UNCONFINED
