"""The compiler's own words lead to one reason; header, signature and intrinsic are told apart (lesson C4)."""

import pytest

from harness.kernels.bench.reasons import Reason
from harness.kernels.diagnose import diagnose

WORDS = [
    ('arms/x.cu(1): catastrophic error: cannot open source file "nope.h"', Reason.HEADER_MISSING),
    ("arms/x.c:1:10: fatal error: nope.h: No such file or directory", Reason.HEADER_MISSING),
    ("arms/x.cu(1): error: too many arguments in function call", Reason.SIGNATURE_CHANGED),
    ("arms/x.cu(1): error: too few arguments in function call", Reason.SIGNATURE_CHANGED),
    ("arms/x.c:12:41: error: too many arguments to function ‘fused’", Reason.SIGNATURE_CHANGED),
    ('x.cu(7): error: no instance of overloaded function "f" matches the argument list', Reason.SIGNATURE_CHANGED),
    (
        'x.cu(9): error: argument of type "int" is incompatible with parameter of type "float *"',
        Reason.SIGNATURE_CHANGED,
    ),
    ('arms/x.cu(1): error: identifier "__dp4b" is undefined', Reason.INTRINSIC_MISSING),
    ("x.c:6:19: error: implicit declaration of function ‘_mm_setzero_p32’; did you mean", Reason.INTRINSIC_MISSING),
    (
        "avx.h:9:1: error: inlining failed in call to ‘always_inline’ ‘_mm256_add_ps’: target specific option mismatch",
        Reason.INTRINSIC_MISSING,
    ),
    (
        "ptxas application ptx input, line 23; error   : Feature 'cp.async.wait_all' requires .target sm_80 or higher",
        Reason.INTRINSIC_MISSING,
    ),
    ('arms/x.cu(1): error: identifier "row" is undefined', Reason.COMPILE_ERROR),
    ("arms/x.c:3:1: error: expected ‘;’ before ‘}’ token", Reason.COMPILE_ERROR),
    ("", Reason.COMPILE_ERROR),
]


@pytest.mark.parametrize(("words", "reason"), WORDS)
def test_words_lead_to_a_reason(words: str, reason: Reason) -> None:
    assert diagnose(words).reason is reason


def test_the_first_error_is_quoted_and_warnings_are_not() -> None:
    found = diagnose("x.c:1: warning: unused\nx.c:2: error: first\nx.c:3: error: second\n")
    assert found.sentence == "x.c:2: error: first"
    assert diagnose("").sentence == "the compiler said nothing"
