"""What a launch changes in files, worked out without a host."""

from pathlib import Path
from typing import Any

import pytest

from harness.adapters import ADAPTERS, Place, server_spec
from harness.overlay.prepare import prepare
from harness.overlay.values import Edit, FileChange
from harness.vocabulary.arm import Arm
from harness.vocabulary.base import BadFileError
from harness.vocabulary.target import Target

SHA = "a" * 64
TARGET: dict[str, Any] = {
    "schema": 1,
    "name": "t",
    "adapter": "vllm",
    "users": 8,
    "baseline": {
        "command": ["bash", "/srv/deploy.sh"],
        "flags": {"model": "/models/q4.gguf", "max-num-seqs": 8},
        "env": {"EXTRA": "/opt/fork/lib:/opt/fork/lib2"},
    },
    "endpoint": {"port": 8600},
    "ready": {"pattern": "GPU KV cache size", "timeout_s": 5},
    "planning": {"launch_sd_pct": 5, "start_s": 600},
    "model_flag": "model",
    "allowed_models": [{"folder": "/models", "pattern": "*.gguf"}],
    "deploy": {"script": "/srv/deploy.sh", "edits": True},
    "allowed_overlays": [
        {"path": "/opt/fork/lib/attn.so", "copies": "/opt/fork/lib", "sources": "/srv/builds"},
        {"path": "/opt/fork/lib/gemm.so", "copies": "/opt/fork/lib", "sources": "/srv/builds"},
        {"path": "/opt/tiles/tile.cu", "sources": "/srv/kernels", "max_mib": 1},
        {"path": "/usr/lib/nccl.so", "mode": "in-place", "sources": "/srv/builds"},
    ],
}


def target(**changes: Any) -> Target:
    return Target.from_mapping(TARGET | changes, "t")


def arm(**change: Any) -> Arm:
    return Arm.model_validate({"schema": 1, "name": "a", **change})


def over(path: str, source: str) -> dict[str, Any]:
    return {"path": path, "source": source, "sha256": SHA}


def script(*edits: Edit) -> FileChange:
    return FileChange(
        "copy",
        "/srv/deploy.sh",
        copies="/srv/deploy.sh",
        made="/srv/deploy.committee-run.b0.sh",
        max_mib=4,
        edits=edits,
    )


def test_baseline_and_plain_arms_run_a_copy_of_the_script() -> None:
    for one in (None, arm(flags={"max-num-seqs": 16})):
        prepared = prepare(target(), one, "run.b0")
        assert prepared.changes == (script(),)
        assert prepared.target.baseline.command == ("bash", "/srv/deploy.committee-run.b0.sh")
    assert prepare(target(deploy=None), None, "run.b0").changes == ()


def test_a_model_is_named_by_its_flag() -> None:
    prepared = prepare(target(), arm(model="/models/iq4.gguf"), "run.b0")
    assert prepared.changes == (FileChange("model", "/models/iq4.gguf"), script())
    spec = server_spec(ADAPTERS["vllm"], prepared.target, arm(model="/models/iq4.gguf"), Place("run.b0", 9, Path("/")))
    assert spec.argv[:4] == ("bash", "/srv/deploy.committee-run.b0.sh", "--model", "/models/iq4.gguf")


def test_a_folder_is_copied_once_and_the_start_points_at_the_copy() -> None:
    change = arm(
        overlay=[over("/opt/fork/lib/attn.so", "/srv/builds/a.so"), over("/opt/fork/lib/gemm.so", "/srv/builds/g.so")]
    )
    prepared = prepare(target(), change, "run.b0")
    made = "/opt/fork/lib.committee-run.b0"
    common: dict[str, Any] = {"sources": "/srv/builds", "sha256": SHA, "max_mib": 2048}
    assert prepared.changes == (
        FileChange(
            "copy",
            "/opt/fork/lib/attn.so",
            "/srv/builds/a.so",
            copies="/opt/fork/lib",
            made=made,
            to=f"{made}/attn.so",
            **common,
        ),
        FileChange("put", "/opt/fork/lib/gemm.so", "/srv/builds/g.so", to=f"{made}/gemm.so", **common),
        script(Edit("/opt/fork/lib", made, path=True, least=0)),
    )
    assert prepared.target.baseline.env == {"EXTRA": f"{made}:/opt/fork/lib2"}  # a longer name is another path


def test_a_file_alone_keeps_its_name_in_a_folder_of_its_own() -> None:
    prepared = prepare(target(), arm(overlay=[over("/opt/tiles/tile.cu", "/srv/kernels/t.cu")]), "run.b0")
    to = "/opt/tiles/committee-run.b0-tile.cu/tile.cu"
    assert prepared.changes[0].to == to and prepared.changes[0].made == to.removesuffix("/tile.cu")
    assert prepared.changes[1] == script(
        Edit("/opt/tiles/tile.cu", to, path=True, least=1)
    )  # only the script can name it


def test_in_place_only_where_the_targets_file_says_so() -> None:
    prepared = prepare(target(), arm(overlay=[over("/usr/lib/nccl.so", "/srv/builds/n.so")]), "run.b0")
    assert prepared.changes[0] == FileChange(
        "in-place", "/usr/lib/nccl.so", "/srv/builds/n.so", "/srv/builds", SHA, max_mib=2048
    )


def test_a_copy_that_nothing_would_use_is_refused() -> None:
    change = arm(overlay=[over("/opt/tiles/tile.cu", "/srv/kernels/t.cu")])
    with pytest.raises(BadFileError, match=r"names '/opt/tiles/tile.cu' neither in its command .* so a copy"):
        prepare(target(deploy=None), change, "run.b0")


def test_edits_of_the_script_are_literal() -> None:
    change = arm(deploy=[{"find": "--max-model-len 65536", "replace": "--max-model-len 131072"}])
    edit = Edit("--max-model-len 65536", "--max-model-len 131072", path=False, least=1)
    assert prepare(target(), change, "run.b0").changes == (script(edit),)
