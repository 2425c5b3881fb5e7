"""Half an answer is no answer: its length, its last chunk or its last line says so."""

import pytest

from harness.adapters.framing import HalfError, whole_text

OK = b"HTTP/1.1 200 OK"
CHUNKED = OK + b"\r\nTransfer-Encoding: chunked"


@pytest.mark.parametrize(
    ("head", "body", "text"),
    [
        (OK, b"a 1\nb 2\n", b"a 1\nb 2\n"),
        (OK, b"", b""),
        (OK + b"\r\ncontent-length: 3", b"a 1", b"a 1"),
        (OK + b"\r\nContent-Length:  4", b"a 1\nmore", b"a 1\n"),
        (CHUNKED, b"2\r\na \r\nA;x=y\r\n1\nb 22222\n\r\n0\r\n\r\n", b"a 1\nb 22222\n"),
    ],
)
def test_a_whole_answer_is_its_text(head: bytes, body: bytes, text: bytes) -> None:
    assert whole_text(head, body) == text


@pytest.mark.parametrize(
    ("head", "body", "why"),
    [
        (OK, b"a 1\nb 2", "(the connection closed within a line)"),
        (OK + b"\r\nContent-Length: 9", b"a 1\nb 2\n", "(8 of 9 bytes)"),
        (OK + b"\r\nContent-Length: many", b"a 1\n", "(4 of many bytes)"),
        (CHUNKED, b"4\r\na 1\n\r\n", "(its last chunk is missing)"),
        (CHUNKED, b"9\r\na 1\n\r\n0\r\n\r\n", "(its last chunk is missing)"),
        (CHUNKED, b"-4\r\na 1\n\r\n0\r\n\r\n", "(its last chunk is missing)"),
    ],
)
def test_half_an_answer_is_refused_and_says_what_is_missing(head: bytes, body: bytes, why: str) -> None:
    with pytest.raises(HalfError) as refused:
        whole_text(head, body)
    assert str(refused.value) == f"it answered half {why}"
