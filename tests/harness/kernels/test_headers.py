"""Headers of a kernel's source are found inside the folder, through other headers too, or told with file and line."""

from harness.kernels.headers import C_HEADERS, SYSTEM_HEADERS, Unresolved, unresolved

FILES = {
    "arms/fast.cu": b'#include "rows.cuh"\n#include <cuda_fp16.h>\n// #include "gone.cuh"\nint x;\n',
    "arms/rows.cuh": b'#include "deep/more.cuh"\n',
    "deep/more.cuh": b'\n\n  #  include "../shared.cuh"\n',
    "shared.cuh": b"#pragma once\n",
}


def test_headers_are_followed_through_headers() -> None:
    assert unresolved(FILES, "arms/fast.cu", SYSTEM_HEADERS) == ()


def test_a_header_of_a_header_that_is_missing_is_told_with_its_line() -> None:
    files = {name: content for name, content in FILES.items() if name != "shared.cuh"}
    (found,) = unresolved(files, "arms/fast.cu", SYSTEM_HEADERS)
    assert (found.path, found.line) == ("deep/more.cuh", 3)
    assert found.sentence.startswith("'../shared.cuh' is not in the folder")


def test_paths_out_of_the_folder_and_unknown_system_headers_are_told() -> None:
    def of(text: bytes) -> tuple[Unresolved, ...]:
        return unresolved({"arms/a.c": text}, "arms/a.c", C_HEADERS)

    assert "is a path outside the folder" in of(b'#include "/etc/passwd"')[0].sentence
    assert "'../../etc/x.h' is not in the folder" in of(b'#include "../../etc/x.h"')[0].sentence
    assert "<boost/x.hpp> is no header that the compiler brings along" in of(b"#include <boost/x.hpp>")[0].sentence
    assert "cannot be read off" in of(b"#include HEADER")[0].sentence
    assert of(b"#include <pthread.h>\n#include <immintrin.h>") == ()
