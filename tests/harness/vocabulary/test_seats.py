"""How many users are answered at the same time."""

import pytest

from harness.vocabulary.base import Scalar
from harness.vocabulary.seats import seats_of
from tests.committee.proposals.sample import make_target


@pytest.mark.parametrize(
    ("adapter", "flags", "seats"),
    [
        ("vllm", {"max-num-seqs": 64}, 64),
        ("vllm", {"max_num_seqs": "16"}, 16),
        ("llamacpp", {"n-parallel": 1}, 1),
        ("llamacpp", {"np": 2}, 2),
        ("vllm", {}, 8),
        ("vllm", {"max-num-seqs": 0}, 8),
        ("llamacpp", {"parallel": "auto"}, 8),
        ("transformers", {}, 1),
        ("transformers", {"continuous_batching": True}, 8),
    ],
)
def test_a_flag_says_it_or_the_users_it_is_designed_for(adapter: str, flags: dict[str, Scalar], seats: int) -> None:
    assert seats_of(adapter, flags, 8) == seats


def test_what_the_file_says_stands() -> None:
    target = make_target()
    assert target.planned.at_once == 1, "its n-parallel"
    told = target.model_copy(update={"planning": target.planning.model_copy(update={"at_once": 3})})
    assert told.planned.at_once == 3
    assert "at_once" not in target.model_dump_json(), "an older plan keeps its hash"
