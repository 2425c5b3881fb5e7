"""Whether this machine has a card that CUDA can use, asked of the driver itself; and what to do where it has none."""

import ctypes

DRIVER = "libcuda.so.1"
CUDA = "cuda"
GOOD = 0  # CUDA_SUCCESS


def cards(driver: str = DRIVER) -> int:
    """How many cards the driver sees; 0 where there is no driver."""
    try:
        library = ctypes.CDLL(driver)
        count = ctypes.c_int(0)
        if library.cuInit(0) != GOOD or library.cuDeviceGetCount(ctypes.byref(count)) != GOOD:
            return 0
    except (OSError, AttributeError):
        return 0
    return count.value


def needs_card(language: str, count: int, task: str) -> str | None:
    """One sentence where a task cannot be run with so many cards, none where it can."""
    if language != CUDA or count > 0:
        return None
    return (
        f"kernels of {task!r} are written for a card, and {how_elsewhere(task)}; `harness kernel check` compiles them"
    )


def how_elsewhere(task: str) -> str:
    """What to do with a CUDA task, named as a person would type it, on a machine without a card."""
    return (
        f"this machine has no card: pack it with `harness kernel pack {task} PACK`, copy PACK to a machine with one, "
        "and there `python runner.py . OUT.json --time`, and again with --wrong; for a proposal `committee measure P "
        "--kernel-report OUT.json` takes both in"
    )
