"""Cubins that are kept: found by everything that made them, never where others could have written."""

import shutil
from pathlib import Path

import pytest

from harness.kernels.compile_cuda import Cubin, CudaJob, compile_cuda, jobs_of, key_of_job
from harness.kernels.confine import Way
from harness.kernels.cubin_cache import CubinCache, Kept, key_of
from harness.kernels.folder import Folder, read_folder
from tests.harness.kernels.tasks import SAXPY_CUDA, copied

CUBIN = Path(__file__).parent / "saxpy_sm_70.cubin"
KEPT = Kept(True, "ptxas info: 12 registers", b"ELF")


def test_what_was_kept_comes_back_and_what_was_changed_does_not(tmp_path: Path) -> None:
    cache = CubinCache(tmp_path / "cubins")
    assert cache.get("a") is None
    cache.put("a", KEPT)
    cache.put("b", Kept(False, "error: oops", b""))
    assert (cache.get("a"), cache.get("b")) == (KEPT, Kept(False, "error: oops", b""))
    (tmp_path / "cubins" / "a.cubin").write_bytes(b"ELF2")
    (tmp_path / "cubins" / "b.json").write_text("{")
    assert (cache.get("a"), cache.get("b")) == (None, None)


def test_a_folder_that_others_can_write_to_is_not_used(tmp_path: Path) -> None:
    cache = CubinCache(tmp_path / "cubins")
    cache.put("a", KEPT)
    (tmp_path / "cubins").chmod(0o777)
    assert cache.get("a") is None
    cache.put("b", KEPT)
    assert not (tmp_path / "cubins" / "b.json").exists()


def test_a_missing_compiler_is_not_remembered(tmp_path: Path) -> None:
    cache = CubinCache(tmp_path / "cubins")
    cache.put("a", Kept(False, "No module named 'cuda'", b""))
    assert cache.get("a") is None


@pytest.mark.parametrize(
    "other",
    [
        ({"define": [["ROWS", "2"]]}, [("a.cu", b"x")]),
        ({"define": []}, [("a.cu", b"y")]),
        ({"define": []}, [("b.cu", b"x")]),
    ],
)
def test_whatever_made_a_cubin_is_in_its_key(other: tuple[dict[str, object], list[tuple[str, bytes]]]) -> None:
    asked, files = other
    assert key_of(asked, files, [CUBIN]) != key_of({"define": []}, [("a.cu", b"x")], [CUBIN])


def only_plain(folder: Path, into: Path) -> tuple[Folder, CudaJob]:
    """The example's plain arm for sm_70."""
    read = read_folder(folder)
    (plain,) = [arm for arm in read.arms if arm.name == "plain"]
    into.mkdir()
    return read, jobs_of(read, plain, into)[0]


def test_a_cubin_that_is_there_needs_no_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = CubinCache(tmp_path / "cubins")
    folder, job = only_plain(copied(tmp_path, task=SAXPY_CUDA), tmp_path / "one")
    monkeypatch.setattr("sys.executable", shutil.which("false"))  # a compiler's process that says nothing
    assert not isinstance(compile_cuda(folder, [job], Way.UNCONFINED, cache)[job], Cubin)
    assert not (tmp_path / "cubins").exists()
    cache.put(key_of_job(folder, job), Kept(True, "", CUBIN.read_bytes()))
    elsewhere, again = only_plain(copied(tmp_path / "elsewhere", task=SAXPY_CUDA), tmp_path / "two")
    found = compile_cuda(elsewhere, [again], Way.UNCONFINED, cache)[again]
    assert isinstance(found, Cubin)
    assert again.output.read_bytes() == CUBIN.read_bytes()
    change = ("arms/plain.cu", "// One element a thread.", "// One value a thread.")
    changed, other = only_plain(copied(tmp_path / "changed", change, task=SAXPY_CUDA), tmp_path / "three")
    assert not isinstance(compile_cuda(changed, [other], Way.UNCONFINED, cache)[other], Cubin)
