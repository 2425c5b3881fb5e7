"""From the compiler's own words to one reason (lesson C4): header, signature, intrinsic, or anything else. Pure."""

import re
from dataclasses import dataclass

from harness.kernels.bench.reasons import Reason

HEADER = re.compile(r"catastrophic error: cannot open source file|fatal error: .*: No such file or directory")
SIGNATURE = re.compile(
    r"too (few|many) arguments|no instance of (overloaded )?function .* matches|conflicting types for"
    r"|argument of type .* is incompatible with parameter|passing argument \d+ .* (makes|from incompatible)"
)
INTRINSIC = re.compile(
    r'identifier "(?P<nvrtc>\w+)" is undefined|implicit declaration of function [\'‘](?P<gcc>\w+)'
    r"|inlining failed in call to .*[\'‘](?P<target>_mm\w+)[\'’]|undefined (symbol|reference).*[\s`\'‘](?P<linked>\w+)"
    r"|Unresolved extern function '(?P<extern>\w+)'|(?P<ptx>\w[\w.]*)' requires .*target"
)
BUILT_IN = re.compile(r"^(__|_mm|wmma|mma|atomic|ld|cp|v)")  # what only a compiler, an architecture or its headers have
LINE = re.compile(r"\b(catastrophic error|fatal error|error|fatal)\b", re.IGNORECASE)
SHOWN = 300


@dataclass(frozen=True)
class Diagnosis:
    """Why something was not built."""

    reason: Reason
    sentence: str  # the compiler's own line, or ours


def diagnose(words: str) -> Diagnosis:
    """The first of the compiler's errors decides."""
    errors = [line.strip() for line in words.splitlines() if LINE.search(line)] or [words.strip()]
    first = " ".join(errors[0].split())[:SHOWN] or "the compiler said nothing"
    for line in errors:
        if HEADER.search(line):
            return Diagnosis(Reason.HEADER_MISSING, " ".join(line.split())[:SHOWN])
    if SIGNATURE.search(errors[0]):
        return Diagnosis(Reason.SIGNATURE_CHANGED, first)
    known = INTRINSIC.search(errors[0])
    if known is not None and BUILT_IN.match(next(filter(None, known.groups()), "")):
        return Diagnosis(Reason.INTRINSIC_MISSING, first)
    return Diagnosis(Reason.COMPILE_ERROR, first)
