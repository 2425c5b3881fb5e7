"""A patch changes text of the files it may change, and nothing else: every other patch is one sentence."""

import pytest

from committee.arms.apply import applied
from tests.committee.arms.sample import KERNEL, PATCH, SOURCE

FILES = {KERNEL: SOURCE, "kernel/b.cu": b"b\n", "secret.txt": b"s\n"}
MADE = SOURCE.replace(b"x[i] = x[i] * 2.0f;", b"x[i] += x[i];")
LINES = SOURCE.decode().splitlines(keepends=True)
REMOVED = (  # a date at which, git says, the file is gone
    f"--- a/{KERNEL}\n+++ b/{KERNEL}\t1970-01-01 00:00:00 +0000\n@@ -1,{len(LINES)} +0,0 @@\n"
    + "".join(f"-{line}" for line in LINES)
)
OTHER = "--- a/kernel/b.cu\n+++ b/kernel/b.cu\n@@ -1 +1 @@\n-b\n+c\n"


def test_it_applies_to_a_copy() -> None:
    assert applied(FILES, PATCH, [KERNEL]) == {KERNEL: MADE}
    assert applied(FILES, PATCH.removesuffix("\n"), [KERNEL]) == {KERNEL: MADE}
    assert applied(FILES, PATCH + OTHER, [KERNEL, "kernel/b.cu"]) == {KERNEL: MADE, "kernel/b.cu": b"c\n"}


def test_wrong_counts_are_counted_again() -> None:
    assert applied(FILES, PATCH.replace("-3,5 +3,5", "-3,9 +3,2"), [KERNEL]) == {KERNEL: MADE}


def test_line_ends_stay_what_they_are() -> None:
    windows = {KERNEL: SOURCE.replace(b"\n", b"\r\n")}
    assert applied(windows, PATCH, [KERNEL]) == {KERNEL: MADE.replace(b"\n", b"\r\n")}


@pytest.mark.parametrize(
    ("patch", "words"),
    [
        ("make it faster", "is no unified diff"),
        ("--- a/kernel/scale.cu\n+++ b/kernel/scale.cu\n", "is no unified diff"),
        (PATCH.replace("2.0f", "3.0f"), "does not apply: error: patch failed: kernel/scale.cu:3"),
        (PATCH.replace("+        x[i] += x[i];", "+        x[i] = x[i] * 2.0f;"), "changes nothing"),
        (PATCH.replace("kernel/scale.cu", "secret.txt"), "changes 'secret.txt', which it may not"),
        (PATCH.replace("kernel/scale.cu", "../outside.cu"), "changes '../outside.cu', which it may not"),
        (PATCH.replace("b/kernel/scale.cu", "b/kernel/b.cu"), "must name one file"),
        (PATCH.replace("--- a/kernel/scale.cu", "--- /dev/null"), "must name one file"),
        (REMOVED, "may change text only"),
        (f"old mode 100644\nnew mode 100755\n{PATCH}", "may change text only"),
        (f"new file mode 120000\n{PATCH}", "may change text only"),
        (f"rename from kernel/scale.cu\nrename to secret.txt\n{PATCH}", "may change text only"),
        (f"GIT binary patch\n{PATCH}", "may change text only"),
    ],
)
def test_every_other_patch_is_refused_in_one_sentence(patch: str, words: str) -> None:
    said = applied(FILES, patch, [KERNEL])
    assert isinstance(said, str) and words in said
    assert "/tmp" not in said and "committee-patch" not in said


def test_a_path_quoted_to_hide_what_it_is_reaches_nothing() -> None:
    quoted = PATCH.replace("a/kernel/scale.cu", '"a/kernel/scale.cu"').replace("b/kernel/scale.cu", '"b/kernel/x.cu"')
    assert isinstance(applied(FILES, quoted, [KERNEL]), str)
    second = PATCH + "--- a/kernel/b.cu\t2020\n+++ b/kernel/b.cu\t2020\n@@ -1 +1 @@\n-b\n+c\n"
    assert "'kernel/b.cu'" in str(applied(FILES, second, [KERNEL]))
