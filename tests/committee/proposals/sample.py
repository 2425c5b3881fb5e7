"""A complete, small proposal folder for tests, and the target it is about."""

from pathlib import Path

from harness.vocabulary.target import Target

HEADER = """schema = 1
id = "0007-sample"
title = "A sample"
kind = "config"
target = "sample-server"
question = "Which flag is real?"
budget = { money = 0.5, server_minutes = 30 }
"""
CRITERIA = """schema = 1
blocks = 2
level = 0.05
primary = { metric = "total_tok_s", load = 4, smallest_effect_pct = 10 }
numerics = { policy = "identical" }
ladder = { steps = [1, 4, 1], tokens = 64 }
"""
ARM = """schema = 1
name = "four-slots"
flags = { n-parallel = 4 }
witness = [{ source = "props", path = "total_slots", equals = 4 }]
"""
TARGET = {
    "schema": 1,
    "name": "sample-server",
    "adapter": "llamacpp",
    "users": 4,
    "baseline": {"command": ["serve"], "flags": {"n-parallel": 1}},
    "endpoint": {"port": 0},
    "ready": {"pattern": "listening", "timeout_s": 60},
    "allowed_flags": {
        "n-parallel": {"type": "int", "min": 1, "max": 8},
        "cache-type-k": {"type": "choice", "values": ["f16", "q8_0"]},
    },
    "planning": {"launch_sd_pct": 1, "start_s": 3},
}


def make_target() -> Target:
    """A target that allows two flags."""
    return Target.model_validate(TARGET)


def make_folder(parent: Path) -> Path:
    """A proposal folder that passes every check."""
    folder = parent / "0007-sample"
    (folder / "arms").mkdir(parents=True)
    (folder / "proposal.toml").write_text(HEADER)
    (folder / "PROPOSAL.md").write_text("# What is known\n\nNothing yet.\n")
    (folder / "criteria.toml").write_text(CRITERIA)
    (folder / "arms" / "four-slots.toml").write_text(ARM)
    return folder
