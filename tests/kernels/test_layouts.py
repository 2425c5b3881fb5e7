"""The quantised layouts of the kernel tasks against the gguf package, and the codebook's lookups without a card."""

import re
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from gguf import GGMLQuantizationType
from gguf.quants import dequantize, quantize

from benchmarks.kernel_build import task_module

KERNELS = Path(__file__).resolve().parents[2] / "kernels"
HEADER = (KERNELS / "iq4xs_mmv" / "arms" / "iq4xs.cuh").read_text(encoding="utf-8")


@pytest.fixture(params=["iq4xs_mmv", "iq4xs_mmv_c"])
def task(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def given(task: str) -> tuple[ModuleType, ModuleType]:
    return task_module(task, "inputs"), task_module(task, "reference")


def test_iq4_xs_blocks_mean_what_gguf_says(task: str) -> None:
    inputs, reference = given(task)
    blocks = inputs.weights(48, 1024, np.random.default_rng(5))
    said = dequantize(blocks.reshape(48, -1), GGMLQuantizationType.IQ4_XS)
    assert np.array_equal(reference.weights_of(blocks), said)


def test_q8_1_blocks_hold_the_scale_and_bytes_of_ggufs_q8_0(task: str) -> None:
    """gguf has no quantiser for Q8_1; it is Q8_0 with d times the sum of the bytes behind d."""
    x = np.random.default_rng(6).standard_normal((7, 512)).astype(np.float32)
    x[3, 32:64] = 0
    blocks = given(task)[0].quantised(x)
    said = quantize(x, GGMLQuantizationType.Q8_0).reshape(7, 16, 34)
    assert np.array_equal(blocks[..., 0:2], said[..., 0:2])
    assert np.array_equal(blocks[..., 4:], said[..., 2:])
    d = blocks[..., 0:2].copy().view(np.float16)[..., 0].astype(np.float64)
    sums = blocks[..., 4:].view(np.int8).sum(axis=2, dtype=np.int64)
    kept = blocks[..., 2:4].copy().view(np.float16)[..., 0].astype(np.float64)
    assert np.allclose(kept, d * sums, rtol=2**-9, atol=1e-6)


def test_the_quantising_task_expects_the_same_bytes() -> None:
    x = task_module("quantize_q8_1", "inputs").make({"m": 3, "k": 320}, np.random.default_rng(7))["x"]
    expected = task_module("quantize_q8_1", "reference").reference({"m": 3, "k": 320}, {"x": x})["blocks"]
    assert np.array_equal(expected, task_module("iq4xs_mmv", "inputs").quantised(x))
    assert expected[:, 1].max() == 0  # the block of zeros


def permute(low: int, high: int, selector: int) -> int:
    """PTX's prmt in its default mode: bit 3 of a selector asks for the chosen byte's sign, eight times over."""
    source, picked = (high << 32 | low).to_bytes(8, "little"), bytearray()
    for i in range(4):
        choice = selector >> (4 * i) & 15
        byte = source[choice & 7]
        picked.append((255 if byte & 128 else 0) if choice & 8 else byte)
    return int.from_bytes(picked, "little")


def words_of(function: str) -> list[int]:
    """The constants that a function of the header gives to permute, in their order, without repeats."""
    body = HEADER[HEADER.index(f"void {function}(") :].split("\n}", 1)[0]
    firsts = [int(word, 16) for word in dict.fromkeys(re.findall(r"permute\((0x\w+)u", body))]
    return firsts + [int(word, 16) for word in dict.fromkeys(re.findall(r"permute\(0x\w+u, (0x\w+)u", body))]


def test_a_lookup_gives_the_codebook_for_every_nibble() -> None:
    codebook = task_module("iq4xs_mmv", "reference").CODEBOOK.astype(int).tolist()
    low_a, high_a, low_b, high_b = words_of("lookup")
    for nibble in range(16):
        q = nibble * 0x1111
        side = (q >> 1 & 0x4444) | 0x3210
        index = q & 0x7777
        got = permute(permute(low_a, low_b, index), permute(high_a, high_b, index), side)
        assert signed(got) == [codebook[nibble]] * 4


def test_two_summands_of_a_weight_add_up_to_the_codebook() -> None:
    codebook = task_module("iq4xs_mmv", "reference").CODEBOOK.astype(int).tolist()
    body = HEADER[HEADER.index("Summands summands()") :].split("\n}", 1)[0]
    low_a, low_b, high_a, high_b = (int(word, 16) for word in re.findall(r"kept\((0x\w+)u\)", body))
    for nibble in range(16):
        q = nibble * 0x1111
        first, second = permute(low_a, low_b, q), permute(high_a, high_b, q ^ 0x8888)
        assert [a + b for a, b in zip(signed(first), signed(second), strict=True)] == [codebook[nibble]] * 4


def signed(word: int) -> list[int]:
    return [byte - 256 if byte > 127 else byte for byte in word.to_bytes(4, "little")]


def test_decode_reference_is_a_softmax_over_the_whole_cache() -> None:
    sizes = {"batch": 1, "length": 5}
    inputs = task_module("decode_partition", "inputs").make(sizes, np.random.default_rng(8))
    inputs["values"][:] = 3
    out = task_module("decode_partition", "reference").reference(sizes, inputs)["out"]
    assert np.allclose(out, 3)
    inputs["keys"][0, 2] = inputs["q"][0, ::6] * 50  # one position that every first head of a group looks at alone
    inputs["values"][0, 2] = 7
    out = task_module("decode_partition", "reference").reference(sizes, inputs)["out"]
    assert np.allclose(out[0, ::6], 7)
