"""A dry run prints every step on the seeds' server, line by line, and touches nothing; the output is pinned."""

import hashlib
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from harness.cli.app import app
from harness.vocabulary.target import Target
from harness.workflow.order import ArmOrder, Order, read_target

ROOT = Path(__file__).resolve().parents[3]
FILE = ROOT / "targets" / "v100-tp4.toml"
PINNED = Path(__file__).with_name("v100_dry_run.txt")
OUTPUT = "/srv/inference/builds/flash_attn_2048/flash_attn.so"
ATTENTION = "/opt/vllm-fork/lib/flash_attn_v100/flash_attn_v100_cuda.so"
ARMS: tuple[dict[str, Any], ...] = (
    {"name": "graph", "env": {"FLASH_V100_0DOT3_COMPILE_GRAPH": "1"}},
    {"name": "core", "env": {"SPEC_CORE_OP": "1"}},
    {"name": "core-graph", "stack": ["core", "graph"]},
    {"name": "q4-k-m", "model": "/srv/models/assistant-27b/assistant-27b-Q4_K_M.gguf"},
    {
        "name": "partition-2048",
        "overlay": [{"path": ATTENTION, "source": OUTPUT}],
        "build": {"argv": ["/usr/bin/ninja", "-C", "attn"], "cwd": "/srv/inference/kernels", "output": OUTPUT},
    },
    {
        "name": "batched-kernel",
        "overlay": [
            {
                "path": "/opt/vllm-fork/kernels/iq4_mmvq_batched.cu",
                "source": "/srv/inference/kernels/iq4_mmvq_batched_v2.cu",
                "sha256": hashlib.sha256(b"its content").hexdigest(),
            }
        ],
    },
    {"name": "longer", "deploy": [{"find": "--num-kv-splits 96", "replace": "--num-kv-splits 160"}]},
)


def order() -> Order:
    target, sha256 = read_target(FILE)
    arms = [ArmOrder.model_validate({"arm": {"schema": 1, **arm}, "approved_by": "A. Person"}) for arm in ARMS]
    criteria = {
        "schema": 1,
        "blocks": 4,
        "level": 0.01,
        "gates": ["ready", "armed", "isolated", "coherent"],
        "primary": {"metric": "total_tok_s", "load": 8, "smallest_effect_pct": 3},
        "numerics": {"policy": "report", "reason": "a model file changes the text by nature"},
        "capability": {"check": "context_tokens", "value": 131000},
    }
    value = {
        "run": "measure-20261129-020000-00000000",
        "target": target,
        "target_sha256": sha256,
        "criteria": criteria,
        "arms": arms,
        "seed": 1,
    }
    return Order.from_mapping(value, "the order")


def printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("COLUMNS", "1000")
    (tmp_path / "targets").mkdir(exist_ok=True)
    path = tmp_path / "order.json"
    path.write_text(order().to_json(), encoding="utf-8")
    words = ["measure", "--order", str(path), "--dry-run", "--workspace", str(tmp_path)]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    return result.output


def test_every_line_on_the_seeds_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert printed(tmp_path, monkeypatch) == PINNED.read_text(encoding="utf-8")


def test_nothing_is_touched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    printed(tmp_path, monkeypatch)
    assert {path.name for path in tmp_path.rglob("*") if path.is_file()} - {"order.json"} <= {
        *("records.db", "records.db.head", "records.db-wal", "records.db-shm"),
    }


def test_the_seeds_server_is_a_target_that_says_what_the_lessons_ask_for() -> None:
    target = Target.from_toml(FILE)
    assert target.ready.pattern == "GPU KV cache size"
    assert [armed.count for armed in target.armed] == [4, 4]
    assert (target.baseline.flags["tensor-parallel-size"], target.baseline.flags["max-model-len"]) == (4, 131072)
    assert target.deploy is not None and target.deploy.script in target.baseline.command
    assert not target.build or not target.build.unconfined
