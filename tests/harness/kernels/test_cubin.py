"""A file that is no cubin, or a piece of one, is refused."""

import pytest

from harness.kernels.cubin import kernels_of


@pytest.mark.parametrize("content", [b"", b"#!/bin/sh", b"\x7fELF\x02\x01", b"\x7fELF\x02\x01" + b"\xff" * 80])
def test_what_is_no_cubin_is_refused(content: bytes) -> None:
    with pytest.raises(ValueError, match=r"no cubin|cut off"):
        kernels_of(content)
