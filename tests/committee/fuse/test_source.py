"""Comments go and lines stay; formatting goes and meaning stays."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from committee.fuse.source import plain, without_comments

CUDA = """#include <a.h> // why
#define TILE(x) \\
    ((x) * 2)
/* two
   lines */
__global__ void f(const char *s = "// no comment /* here", int n = 1'000) { // it's one
  int a = n++ + 1; char c = '"'; auto r = R"x(// kept)x";
}
"""


def test_comments_go_strings_and_line_numbers_stay() -> None:
    bare = without_comments("kernel/a.cu", CUDA)
    assert bare.count("\n") == CUDA.count("\n")
    assert not any(words in bare for words in ("why", "two", "lines */", "it's one"))
    assert all(words in bare for words in ('"// no comment /* here"', "1'000", "'\"'", 'R"x(// kept)x"', "TILE(x)"))


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.py", "x = '# no' # yes\n", "x = '# no'  \n"),
        ("a.py", 's = """\n# kept\n"""\n# gone\n', 's = """\n# kept\n"""\n \n'),
        ("a.toml", 'a = "#1" # one\n# two\nb = 2\n', 'a = "#1"  \n \nb = 2\n'),
        ("a.sh", "echo $# a#b # c\n", "echo $# a#b  \n"),
        ("a.md", "one <!-- do\nthis --> two\n", "one  \n two\n"),
        ("a.txt", "// stays # stays\n", "// stays # stays\n"),
        ("a.cu", "int a; /* never ends\nmore", "int a;  \n"),
        ("a.cu", "a // goes on \\\nhere\nb", "a  \n\nb"),
    ],
)
def test_each_kind_of_file_has_its_comments(path: str, text: str, expected: str) -> None:
    assert without_comments(path, text).replace(" \n\n", "\n\n") == expected.replace(" \n\n", "\n\n")


@pytest.mark.parametrize(
    ("path", "one", "other", "same"),
    [
        ("a.cu", "int a=b+c;", "int  a = b\n  + c; // sum", True),
        ("a.cu", "int a = b+++c;", "int a = b + ++c;", False),
        ("a.cu", "int a = 1;", "int a = 2;", False),
        ("a.cu", 's = "a  b";', 's = "a b";', False),
        ("a.cu", "#define A 1\nint b;", "#define A 1 int b;", False),
        ("a.cu", "#define A \\\n 1\nint b;", "#define A 1\n\nint b;", True),
        ("a.cu", "a << b", "a < < b", False),
        ("a.cu", "unsigned int a;", "unsignedint a;", False),
        ("a.cu", "a;\r\nb;\r\n", "a; b;", True),
        ("a.py", "if a:\n  b = 1  # x\n\n", "if a:\n    b=1\n", True),
        ("a.py", "if a:\n  b()\n  c()\n", "if a:\n  b()\nc()\n", False),
        ("a.py", "def (:\n", "def (:  \n\n", True),
        ("a.txt", "a \n\nb", "a\nb\n", True),
        ("a.txt", "a b", "a  b", False),
    ],
)
def test_style_goes_and_meaning_stays(path: str, one: str, other: str, same: bool) -> None:
    assert (plain(path, one) == plain(path, other)) is same


@given(st.text(max_size=200), st.sampled_from(["a.cu", "a.py", "a.toml", "a.md", "a.txt"]))
def test_any_text_keeps_its_lines(text: str, path: str) -> None:
    assert without_comments(path, text).count("\n") == text.count("\n")
    assert isinstance(plain(path, text), str)
