"""The process that an arm lives in: it does what the runner asks over a private pipe and judges nothing.

Arguments: the pack, the arm, and the descriptors of requests, replies and shared memory with its size.
"""

import json
import mmap
import os
import sys
from pathlib import Path
from typing import Any, Protocol

from harness.kernels.bench.c_device import CDevice
from harness.kernels.bench.layout import WHOLE, Layout, lay_out
from harness.kernels.bench.plan import Plan, PlannedArm, Sizes, read_plan
from harness.kernels.bench.taken import Taken
from harness.kernels.bench.trouble import Trouble


class Device(Protocol):
    """What runs kernels. Every method raises Trouble where the arm cannot go on."""

    def facts(self) -> dict[str, str]:
        """What it says about itself."""

    def take(self, shape: Sizes, layout: Layout) -> None:
        """Prepare a shape."""

    def push(self, place: int, part: str) -> None:
        """Bring a place of the shared memory, or only its outputs, to where kernels see it."""

    def call(self, place: int) -> None:
        """Run once; leave the outputs of that moment in the zone of snapshots."""

    def settle(self, place: int, part: str) -> None:
        """Wait for everything that may still run, then bring the place, or only its outputs, back."""

    def time(self, places: list[int], calls: int, cold: bool) -> Taken:
        """Go round the places; the last call's outputs are in the zone of snapshots."""


def open_device(pack: Path, plan: Plan, arm: PlannedArm, arena: mmap.mmap) -> Device:
    """The device of the plan's language. Raises Trouble."""
    if plan.language == "c":
        return CDevice(pack, plan, arm, arena)
    from harness.kernels.bench.cuda_device import CudaDevice  # noqa: PLC0415 - needs cuda-core

    device: Device = CudaDevice(pack, plan, arm, arena)
    return device


def main(argv: list[str]) -> int:
    """Serve requests until their pipe is closed."""
    pack, name = Path(argv[0]), argv[1]
    requests, replies, shared, size = (int(word) for word in argv[2:6])
    plan = read_plan(pack)
    arm = plan.arm(name)
    with os.fdopen(requests, "r", encoding="utf-8") as asked, os.fdopen(replies, "w", encoding="utf-8") as answers:
        try:
            device = open_device(pack, plan, arm, mmap.mmap(shared, size))
            _answer(answers, {"id": 0, "facts": device.facts()})
            for line in asked:
                request = json.loads(line)
                _answer(answers, {"id": request["id"], **_do(device, plan, arm, request)})
        except Trouble as trouble:
            _answer(answers, {"id": -1, "reason": trouble.reason.value, "detail": trouble.detail})
    return 0


def _do(device: Device, plan: Plan, arm: PlannedArm, request: dict[str, Any]) -> dict[str, Any]:
    match request["do"]:
        case "take":
            shape = plan.shape(request["shape"])
            device.take(shape, lay_out(plan.parameters, shape, arm, request["places"]))
        case "push":
            device.push(request["place"], request.get("part", WHOLE))
        case "call":
            device.call(request["place"])
        case "settle":
            device.settle(request["place"], request.get("part", WHOLE))
        case "time":
            timed = device.time(request["places"], request["calls"], request["cold"])
            return vars(timed)
    return {}


def _answer(answers: Any, reply: dict[str, Any]) -> None:
    answers.write(json.dumps(reply) + "\n")
    answers.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
