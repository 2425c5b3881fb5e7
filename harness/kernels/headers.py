"""Which headers a kernel's source asks for, and whether each lies in its folder (lesson C4). Pure.

Comments are taken out first. Conditional compilation is not followed: a header that only some builds need counts too.
"""

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass

INCLUDE = re.compile(r"^[ \t]*#[ \t]*include(?:_next)?\b[ \t]*(.*)$", re.MULTILINE)
CONTINUED = re.compile(r"(?:[^\n]*\\\r?\n)+[^\n]*")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"", re.DOTALL)
# Headers that every CUDA toolkit and C or C++ compiler brings along; anything else has to be in the folder.
SYSTEM_HEADERS = frozenset(
    """
    algorithm array atomic bit cassert cfloat chrono cinttypes climits cmath complex concepts cstdarg cstddef cstdint
    cstdio cstdlib cstring cuda exception functional initializer_list iostream iterator limits map memory mutex new
    numeric optional random sstream stdexcept string string_view thread tuple type_traits unordered_map utility
    variant vector assert.h float.h inttypes.h limits.h math.h stdarg.h stdbool.h stddef.h stdint.h stdio.h stdlib.h
    string.h cooperative_groups.h cooperative_groups/reduce.h cooperative_groups/memcpy_async.h cublas_v2.h cublasLt.h
    cuda.h cuda_bf16.h cuda_fp16.h cuda_fp8.h cuda_pipeline.h cuda_runtime.h cuda_runtime_api.h curand_kernel.h
    device_launch_parameters.h math_constants.h mma.h nvrtc.h sm_61_intrinsics.h vector_functions.h vector_types.h
    cuda/atomic cuda/barrier cuda/pipeline cuda/ptx cuda/std/array cuda/std/atomic cuda/std/cstdint cuda/std/limits
    cuda/std/tuple cuda/std/type_traits cuda/std/utility cub/cub.cuh cub/block/block_reduce.cuh
    cub/warp/warp_reduce.cuh
    """.split()  # noqa: SIM905 - a list of words, not of sixty quoted strings
)
# What an arm in C may take from the system beside those: threads, processes, vector instructions.
C_HEADERS = SYSTEM_HEADERS | frozenset(
    "errno.h immintrin.h omp.h pthread.h signal.h stdatomic.h threads.h time.h unistd.h x86intrin.h arm_neon.h".split()  # noqa: SIM905
)


@dataclass(frozen=True)
class Unresolved:
    """An include that leads nowhere."""

    path: str  # the file that asks
    line: int
    sentence: str


@dataclass(frozen=True)
class Asked:
    """One include as it is written."""

    line: int
    words: str  # what stands behind `#include`


def asked_by(text: str) -> tuple[Asked, ...]:
    """Every include of a source, in order."""
    bare = _without_comments(text)
    matches = INCLUDE.finditer(bare)
    return tuple(Asked(bare.count("\n", 0, match.start()) + 1, match.group(1).strip()) for match in matches)


def unresolved(files: Mapping[str, bytes], source: str, system: frozenset[str]) -> tuple[Unresolved, ...]:
    """Includes of a source, and of the headers that it reaches, that are neither in `files` nor of the compiler."""
    return _followed(files, source, system)[1]


def reached_by(files: Mapping[str, bytes], source: str, system: frozenset[str]) -> tuple[str, ...]:
    """A source and every file of the folder that its includes lead to."""
    return _followed(files, source, system)[0]


def _followed(
    files: Mapping[str, bytes], source: str, system: frozenset[str]
) -> tuple[tuple[str, ...], tuple[Unresolved, ...]]:
    found: list[Unresolved] = []
    ahead, seen = [source], {source}
    while ahead:
        path = ahead.pop()
        for asked in asked_by(files[path].decode("utf-8", errors="replace")):
            reached = _reached(path, asked.words, files, system)
            if isinstance(reached, Unresolved):
                found.append(Unresolved(path, asked.line, reached.sentence))
            elif reached and reached not in seen:
                seen.add(reached)
                ahead.append(reached)
    return tuple(sorted(seen)), tuple(found)


def _reached(path: str, words: str, files: Mapping[str, bytes], system: frozenset[str]) -> str | Unresolved:
    """The file of the folder that an include leads to, "" for one of the compiler's."""
    quoted, angled = re.match(r'"([^"\n]+)"', words), re.match(r"<([^>\n]+)>", words)
    if quoted is None and angled is None:
        return Unresolved(path, 0, f"what is included by {words!r} cannot be read off; name the header in quotes")
    if angled is not None:
        name = angled.group(1)
        said = f"<{name}> is no header that the compiler brings along; put it into the folder and name it in quotes"
        return "" if name in system else Unresolved(path, 0, said)
    assert quoted is not None  # noqa: S101 - one of the two is there
    name = quoted.group(1)
    if name.startswith("/") or "\\" in name:
        return Unresolved(path, 0, f"{name!r} is a path outside the folder; put the header into the folder")
    for base in (posixpath.dirname(path), ""):
        candidate = posixpath.normpath(posixpath.join(base, name))
        if candidate in files:
            return candidate
    if name in system:
        return ""
    return Unresolved(path, 0, f"{name!r} is not in the folder; put the header that the server compiles with there")


def _without_comments(text: str) -> str:
    """Comments become blanks and continued lines are joined; every line keeps its number."""

    def blank(match: re.Match[str]) -> str:
        piece = match.group(0)
        return piece if piece.startswith('"') else re.sub(r"[^\n]", " ", piece)

    def join(match: re.Match[str]) -> str:
        pieces = re.split(r"\\\r?\n", match.group(0))
        return " ".join(pieces) + "\n" * (len(pieces) - 1)

    return COMMENT.sub(blank, CONTINUED.sub(join, text))
