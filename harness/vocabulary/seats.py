"""How many users a server answers at the same time, as its own flags say. Pure."""

from collections.abc import Mapping

from harness.vocabulary.arm import normal, text
from harness.vocabulary.base import Scalar

SEAT_FLAGS = ("max-num-seqs", "parallel", "n-parallel", "np")  # vLLM; llama.cpp in its spellings
ONE_BY_ONE = "transformers"  # answers its users one after the other unless it is told to batch
BATCHES = "continuous-batching"


def seats_of(adapter: str, flags: Mapping[str, Scalar], users: int) -> int:
    """The flag's number; where none says it, the users that the server is designed for."""
    named = {normal(name): value for name, value in flags.items()}
    for flag in SEAT_FLAGS:
        said = text(named.get(flag, ""))
        if said.isdecimal() and int(said) > 0:
            return int(said)
    return 1 if adapter == ONE_BY_ONE and not named.get(BATCHES) else users
