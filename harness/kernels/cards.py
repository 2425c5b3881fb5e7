"""Whether this machine has a card that CUDA can use, asked of the driver itself; and what to do where it has none."""

import ctypes

DRIVER = "libcuda.so.1"
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


def how_elsewhere(task: str) -> str:
    """What to do with a CUDA task, named as a person would type it, on a machine without a card."""
    return (
        f"this machine has no card: pack it with `harness kernel pack {task} PACK`, copy PACK to a machine with one, "
        "and there `python runner.py . OUT.json --time`"
    )
