"""The manifest and the inventory read back as written, and what was edited since is named."""

from typing import Any

import pytest

from committee.pull import inventory
from committee.pull.inventory import INVENTORY, inventory_in, inventory_of
from committee.pull.manifest import MANIFEST, Manifest, as_toml, edited_since, manifest_in
from committee.pull.tables import step_tables
from harness.vocabulary.base import BadFileError
from ledger.canonical import sha256_hex
from tests.committee.proposals.sample import make_target

SOURCE = b"__global__ void f() {}\n"
MADE = Manifest.model_validate(
    {
        "schema": 1,
        "target": "sample-server",
        "file": [
            {"into": "kernel/a.cu", "path": '/srv/"odd"/a.cu', "sha256": sha256_hex(SOURCE), "bytes": len(SOURCE)}
        ],
    }
)
FILES = {MANIFEST: as_toml(MADE).encode(), "kernel/a.cu": SOURCE}


def test_a_manifest_reads_back_as_written() -> None:
    assert manifest_in(FILES) == MADE
    assert MADE.path_of("kernel/a.cu") == '/srv/"odd"/a.cu' and MADE.path_of("kernel/b.cu") is None
    assert manifest_in({}) is None


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({}, None),
        ({"kernel/a.cu": SOURCE + b"//\n"}, "no longer what was fetched from '/srv/\"odd\"/a.cu'"),
        ({"kernel/a.cu": None}, "it is gone; pull again"),
    ],
)
def test_what_was_edited_since_is_named(changed: dict[str, bytes | None], words: str | None) -> None:
    files = {path: content for path, content in {**FILES, **changed}.items() if content is not None}
    found = edited_since(files)
    assert [complaint.where for complaint in found] == ([] if words is None else ["kernel/a.cu"])
    assert words is None or words in found[0].sentence


def test_an_inventory_joins_help_report_and_file_and_reads_back() -> None:
    made = inventory_of(make_target(), {"n_parallel": "1", "seed": "-1"}, {"n-parallel": "4", "kv": "f16\n"}, "here")
    (n_parallel,) = [flag for flag in made.flag if flag.name == "n-parallel"]
    assert (n_parallel.default, n_parallel.in_force, n_parallel.asked) == ("1", "4", "1")
    assert [flag.name for flag in made.flag] == ["cache-type-k", "kv", "n-parallel", "seed"]
    assert inventory_in({INVENTORY: inventory.as_toml(made).encode()}) == made
    assert inventory_in({}) is None


@pytest.mark.parametrize(
    ("path", "content", "words"),
    [
        (MANIFEST, b"schema = 1\ntarget = 'a'\n[[file]]\ninto = 1\n", "file.0"),
        (MANIFEST, b"schema", "run `committee pull` again"),
        (INVENTORY, b"\xff", "run `committee pull` again"),
        ("evidence/step-time.toml", b"schema = ", "finish or correct it"),
        ("evidence/step-time-8.toml", b"schema = 1\n", "missing key"),
    ],
)
def test_what_cannot_be_read_is_one_sentence(path: str, content: bytes, words: str) -> None:
    readers: tuple[Any, ...] = (manifest_in, inventory_in, step_tables)
    with pytest.raises(BadFileError, match=words):
        for read in readers:
            read({path: content})


def test_step_tables_are_found_by_name() -> None:
    table = b'schema = 1\nphase = "decode"\nload = 8\nstep_ms = 9\nmeasured = "x"\npart = [{name = "a", ms = 1}]\n'
    files = {"evidence/step-time-8.toml": table, "evidence/step-time.md": b"", "step-time.toml": b""}
    assert [found.load for found in step_tables(files)] == [8]
