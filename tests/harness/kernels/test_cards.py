"""Whether a card is here, and the one sentence for a task that needs one."""

from harness.kernels.cards import cards, needs_card


def test_without_a_driver_there_is_no_card() -> None:
    assert cards("libcuda-that-is-nowhere.so.1") == 0
    assert cards("libm.so.6") == 0  # a library that is no driver


def test_a_task_for_a_card_says_how_it_is_run_where_one_is() -> None:
    said = needs_card("cuda", 0, "kernels/saxpy_cuda")
    assert said is not None and "pack it with `harness kernel pack kernels/saxpy_cuda PACK`" in said
    assert needs_card("cuda", 1, "kernels/saxpy_cuda") is None
    assert needs_card("c", 0, "kernels/saxpy_c") is None
