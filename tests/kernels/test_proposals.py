"""A proposal carries its kernel's source, and so does the task: both copies are the same bytes."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CARRIED = {"0009-iq4xs-mmv": "iq4xs_mmv", "0011-decode-partition-kernel": "decode_partition"}


@pytest.mark.parametrize(("proposal", "task"), sorted(CARRIED.items()))
def test_what_a_proposal_carries_is_what_its_task_compiles(proposal: str, task: str) -> None:
    carried = [path for path in (ROOT / "proposals" / proposal / "kernel").iterdir() if path.suffix in (".cu", ".cuh")]
    assert carried
    for path in carried:
        assert path.read_bytes() == (ROOT / "kernels" / task / "arms" / path.name).read_bytes()
