"""What ptxas says that a kernel needs: registers, shared memory, spills, memory of its own between calls. Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

ENTRY = re.compile(r"Compiling entry function '(\w+)'")
SPILLS = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
USED = re.compile(r"Used (\d+) registers")
SHARED = re.compile(r"(\d+)(?:\+(\d+))? bytes smem")
STATE = re.compile(r"ptxas info\s*: (\d+) bytes gmem")


@dataclass(frozen=True)
class Resources:
    """Of one kernel on one architecture."""

    registers: int
    shared_bytes: int  # static
    stack_bytes: int
    spill_store_bytes: int
    spill_load_bytes: int
    state_bytes: int  # global memory of the module: what it could remember from call to call


def resources_of(words: str) -> Mapping[str, Resources]:
    """By kernel, from the output of `ptxas -v`."""
    stated = STATE.search(words)
    state = int(stated.group(1)) if stated else 0
    pieces = ENTRY.split(words)
    found: dict[str, Resources] = {}
    for name, piece in zip(pieces[1::2], pieces[2::2], strict=True):
        spills, used, shared = SPILLS.search(piece), USED.search(piece), SHARED.search(piece)
        if used is None:
            continue
        stack, store, load = (int(part) for part in spills.groups()) if spills else (0, 0, 0)
        static = sum(int(part or 0) for part in shared.groups()) if shared else 0
        found[name] = Resources(int(used.group(1)), static, stack, store, load, state)
    return found
