"""A kernel's folder is complete by itself: what resolves, what does not, and tricks that hide an include."""

import pytest

from committee.proposals.complaint import Severity
from committee.proposals.includes import missing_includes


@pytest.mark.parametrize(
    "source",
    [
        '#include "common.cuh"\n',
        '  #  include   "sub/deep.h"\n',
        "#include <cuda_fp16.h>\n#include <cstdint>\n",
        '// #include "gone.h"\n/* #include "gone.h"\n*/\n',
        'const char *text = "// no comment"; // #include "gone.h"\n',
        '/* a */ #include "common.cuh"\n',
    ],
)
def test_what_resolves(source: str) -> None:
    files = {"kernel/main.cu": source.encode(), "kernel/common.cuh": b"", "kernel/sub/deep.h": b""}
    assert missing_includes(files) == ()


@pytest.mark.parametrize(
    ("source", "words", "line"),
    [
        ('\n#include "gone.cuh"\n', "'gone.cuh' is not in the proposal", 2),
        ('#include "../evidence/x.h"\n', "outside kernel/", 1),
        ('#include "/usr/include/x.h"\n', "outside the proposal", 1),
        ('#include "..\\\\x.h"\n', "outside the proposal", 1),
        ("#include <ggml-cuda/common.cuh>\n", "no header that every toolkit has", 1),
        ("#include HEADER\n", "cannot be read off", 1),
        ("#include_next <gone.h>\n", "no header that every toolkit has", 1),
        ('#include \\\n  "gone.cuh"\n', "'gone.cuh' is not in the proposal", 1),
        ('int a; /* x\n\n */\n#include "gone.cuh"\r\n', "'gone.cuh' is not in the proposal", 4),
        ('#define A \\\n  1\n#include "gone.cuh"\n', "'gone.cuh' is not in the proposal", 3),
        ('/**/#include "gone.cuh"\n', "'gone.cuh' is not in the proposal", 1),
    ],
)
def test_what_does_not(source: str, words: str, line: int) -> None:
    (complaint,) = missing_includes({"kernel/main.cu": source.encode(), "evidence/x.h": b""})
    assert words in complaint.sentence
    assert complaint.where == f"kernel/main.cu:{line}"
    assert complaint.severity is Severity.ERROR


def test_beside_the_file_and_on_top_of_kernel() -> None:
    files = {
        "kernel/a/main.cu": b'#include "top.h"\n#include "near.h"\n',
        "kernel/top.h": b"",
        "kernel/a/near.h": b"",
    }
    assert missing_includes(files) == ()


def test_headers_are_followed_and_other_folders_are_not_read() -> None:
    files = {"kernel/a.cuh": b'#include "b.cuh"\n', "evidence/log.cu": b'#include "gone.h"\n'}
    assert [complaint.where for complaint in missing_includes(files)] == ["kernel/a.cuh:1"]
