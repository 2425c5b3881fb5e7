"""Whether a kernel's source is complete by itself: every header it includes lies in the proposal (lesson C4). Pure.

Comments are taken out first. Conditional compilation is not followed: a header that only some builds need counts too.
"""

import posixpath
import re
from collections.abc import Mapping

from committee.proposals.complaint import Complaint, error

KERNEL = "kernel/"
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


def missing_includes(files: Mapping[str, bytes]) -> tuple[Complaint, ...]:
    """One error for every include of the files in kernel/ that cannot be resolved inside the folder."""
    found: list[Complaint] = []
    for path in sorted(files):
        if path.startswith(KERNEL):
            text = _without_comments(files[path].decode("utf-8", errors="replace"))
            for match in INCLUDE.finditer(text):
                line = text.count("\n", 0, match.start()) + 1
                complaint = _complaint(path, match.group(1).strip(), files)
                if complaint:
                    found.append(error(f"{path}:{line}", complaint))
    return tuple(found)


def _complaint(path: str, asked: str, files: Mapping[str, bytes]) -> str | None:
    quoted = re.match(r'"([^"\n]+)"', asked)
    angled = re.match(r"<([^>\n]+)>", asked)
    if quoted:
        return _unresolved(path, quoted.group(1), files)
    if angled:
        known = angled.group(1) in SYSTEM_HEADERS
        return None if known else f"<{angled.group(1)}> is no header that every toolkit has; put it into kernel/"
    return f"what is included by {asked!r} cannot be read off; name the header in quotes"


def _unresolved(path: str, header: str, files: Mapping[str, bytes]) -> str | None:
    """A quoted header is looked up beside the file that includes it, then on top of kernel/."""
    if header.startswith("/") or "\\" in header:
        return f"{header!r} is a path outside the proposal; put the header into kernel/"
    candidates = [posixpath.normpath(posixpath.join(base, header)) for base in (posixpath.dirname(path), KERNEL)]
    inside = [candidate for candidate in candidates if candidate.startswith(KERNEL)]
    if not inside:
        return f"{header!r} is a path outside kernel/; put the header into kernel/"
    if any(candidate in files for candidate in inside):
        return None
    return f"{header!r} is not in the proposal; put the header that the server compiles with into kernel/"


def _without_comments(text: str) -> str:
    """Comments become blanks and continued lines are joined; every line keeps its number."""

    def blank(match: re.Match[str]) -> str:
        piece = match.group(0)
        return piece if piece.startswith('"') else re.sub(r"[^\n]", " ", piece)

    def join(match: re.Match[str]) -> str:
        pieces = re.split(r"\\\r?\n", match.group(0))
        return " ".join(pieces) + "\n" * (len(pieces) - 1)

    return COMMENT.sub(blank, CONTINUED.sub(join, text))
