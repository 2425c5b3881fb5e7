"""Model files of a launch: what is mapped, what flags name on the host itself, and hashes known from before."""

import json

from harness.hosts.models import ModelSeen
from harness.vocabulary.arm import Arm
from harness.workflow.models import as_entry, model_paths, whole_hashes
from tests.harness.overlay.test_prepare import target
from tests.ledger.examples import C, model

SEEN = json.dumps({"host": {"objects": [{"path": "/m/mapped.gguf"}, {"path": "/lib/libc.so.6"}]}})


def test_mapped_files_and_absolute_paths_of_model_flags() -> None:
    flags = {"weights": "/m/a", "m": "/m/b.gguf", "model": "org/name"}
    made = target(model_flag="weights", baseline={"command": ["server"], "flags": flags}, deploy=None)
    assert model_paths(made, None, "/bin/server", SEEN) == ("/m/a", "/m/b.gguf", "/m/mapped.gguf")
    assert model_paths(made, None, "/usr/bin/docker", SEEN) == ("/m/mapped.gguf",)
    swapped = Arm.model_validate({"name": "other", "schema": 1, "flags": {"weights": "/m/c"}})
    assert model_paths(made, swapped, "/bin/server", None) == ("/m/b.gguf", "/m/c")


def test_a_whole_hash_on_record_is_taken_over_only_where_nothing_was_written_since() -> None:
    (kept,) = model(sha256=C).files
    seen = ModelSeen(kept.path, kept.bytes, kept.written, kept.stamp, kept.sample_sha256, None)
    known = whole_hashes([model(), model(sha256=C)])
    assert as_entry(seen, known) == kept
    assert as_entry(ModelSeen(**{**vars(seen), "written": "2026-11-02T00:00:00.000000000Z"}), known).sha256 is None
    assert as_entry(ModelSeen(**{**vars(seen), "sha256": "d" * 64}), known).sha256 == "d" * 64
