"""Why a card's context was lost, as far as the driver's words and the cubin tell."""

import pytest

from harness.kernels.bench.card import card_errors, reason_of_loss
from harness.kernels.bench.reasons import Reason
from harness.kernels.bench.trouble import Trouble

LOST = "CUDAError: CUDA_ERROR_ILLEGAL_ADDRESS: the device encountered a load or store instruction on an invalid address"
TAKES, PLAIN = b"\0saxpy_rows\0malloc\0.nv.call", b"\0saxpy_rows\0.nv.info"


def test_memory_taken_on_the_card_until_there_is_none_has_its_own_reason() -> None:
    reason, said = reason_of_loss(Reason.CRASHED, LOST, TAKES)
    assert reason is Reason.OUT_OF_MEMORY
    assert said.startswith("it takes memory on the card by malloc and used what it did not get any more: CUDAError")


def test_a_bad_address_of_a_kernel_that_takes_no_memory_is_a_crash() -> None:
    assert reason_of_loss(Reason.CRASHED, LOST, PLAIN) == (Reason.CRASHED, LOST)
    assert reason_of_loss(Reason.CRASHED, "CUDA_ERROR_LAUNCH_TIMEOUT", TAKES)[0] is Reason.CRASHED


def test_what_the_driver_says_becomes_trouble() -> None:
    with pytest.raises(Trouble) as full, card_errors():
        raise RuntimeError("CUDA_ERROR_OUT_OF_MEMORY")
    assert full.value.reason is Reason.OUT_OF_MEMORY
    with pytest.raises(Trouble) as lost, card_errors(cubin=TAKES):
        raise RuntimeError(LOST)
    assert lost.value.reason is Reason.OUT_OF_MEMORY
