"""The card as this process sees it: its context, the object that fits it, errors as one exception. Needs cuda-core."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from harness.kernels.bench.reasons import Reason
from harness.kernels.bench.trouble import Trouble

TOO_LITTLE = ("OUT_OF_MEMORY", "out of memory")
BAD_ADDRESS = "ILLEGAL_ADDRESS"
SHOWN = 300
ALLOCATES = b"\0malloc\0"  # among the names of a cubin that takes memory of the card's heap
HEAP_EMPTY = "it takes memory on the card by malloc and used what it did not get any more"


def open_card() -> Any:
    """The first card, made current. Raises Trouble where there is none."""
    try:
        from cuda.core import Device  # noqa: PLC0415 - pip install cuda-core[cu12]
    except ImportError as error:
        raise Trouble(Reason.LOAD_FAILED, f"cuda-core is missing ({error}); install cuda-core[cu12]") from error
    with card_errors(Reason.LOAD_FAILED):
        card = Device(0)
        card.set_current()
        return card


@contextmanager
def card_errors(reason: Reason = Reason.CRASHED, cubin: bytes = b"") -> Iterator[None]:
    """Whatever the driver says becomes Trouble: after an error of a kernel the context is lost anyway."""
    try:
        yield
    except Trouble:
        raise
    except Exception as error:
        said = " ".join(f"{type(error).__name__}: {error}".split())[:SHOWN]
        full = any(word in said for word in TOO_LITTLE)
        raise Trouble(*((Reason.OUT_OF_MEMORY, said) if full else reason_of_loss(reason, said, cubin))) from error


def reason_of_loss(reason: Reason, said: str, cubin: bytes) -> tuple[Reason, str]:
    """Why a context was lost: the end of the card's heap is a null pointer to kernels that take from it. Pure."""
    if BAD_ADDRESS in said and ALLOCATES in cubin:
        return Reason.OUT_OF_MEMORY, f"{HEAP_EMPTY}: {said}"
    return reason, said


def object_for(card: Any, objects: Mapping[str, str]) -> str:
    """The file built for this card: its own architecture, or an older one of the same generation. Raises Trouble."""
    major, minor = card.compute_capability
    for name in (f"sm_{major}{minor}a", *(f"sm_{major}{step}" for step in range(minor, -1, -1))):
        if name in objects:
            return objects[name]
    there = ", ".join(sorted(objects)) or "nothing"
    raise Trouble(Reason.NO_ARCHITECTURE, f"this card is sm_{major}{minor}, and the arm was built for {there}")


def facts_of(card: Any) -> dict[str, str]:
    """Its name and size."""
    from cuda.bindings import driver  # noqa: PLC0415 - comes with cuda-core

    properties = card.properties
    version = driver.cuDriverGetVersion()[1]
    return {
        "name": str(card.name),
        "capability": "{}.{}".format(*card.compute_capability),
        "multiprocessors": str(properties.multiprocessor_count),
        "l2_bytes": str(properties.l2_cache_size),
        "driver_cuda": f"{version // 1000}.{version % 1000 // 10}",
    }


def checked(answer: tuple[Any, ...]) -> None:
    """A call of the driver went well, or Trouble is raised."""
    if int(answer[0]) != 0:
        raise Trouble(Reason.CRASHED, f"the driver says {answer[0]!r}")
