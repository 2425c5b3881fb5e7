"""Pure: the body of one HTTP answer that was read until its connection closed, and whether all of it came.

Sources: RFC 9112, 6.3 (length of a body) and 7.1 (chunks); Prometheus' text format (its last line ends with "\n").
"""

import re

SIZE = re.compile(rb"([0-9A-Fa-f]{1,8})[ \t]*(;[^\r\n]*)?")
LENGTH = re.compile(rb"[0-9]{1,12}")


class HalfError(ValueError):
    """The body did not come whole; the message says how much of it is missing."""


def whole_text(head: bytes, body: bytes) -> bytes:
    """The body of an answer that holds lines of text. Raises HalfError."""
    fields = [line.partition(b":") for line in head.split(b"\r\n")[1:]]
    named = {name.strip().lower(): value.strip() for name, _, value in fields}
    if b"chunked" in named.get(b"transfer-encoding", b"").lower():
        return _of_chunks(body)
    length = named.get(b"content-length")
    if length is None:
        return whole_lines(body)
    if not LENGTH.fullmatch(length) or len(body) < int(length):
        raise HalfError(f"it answered half ({len(body)} of {length.decode('ascii', errors='replace')[:12]} bytes)")
    return body[: int(length)]


def whole_lines(body: bytes) -> bytes:
    """The body of an answer that ends where its connection closes: whole if its last line is. Raises HalfError."""
    if body.strip() and not body.endswith(b"\n"):
        raise HalfError("it answered half (the connection closed within a line)")
    return body


def _of_chunks(body: bytes) -> bytes:
    made, at = list[bytes](), 0
    while True:
        end = body.find(b"\r\n", at)
        size = SIZE.fullmatch(body, at, end) if end >= 0 else None
        if size is None:
            raise HalfError("it answered half (its last chunk is missing)")
        if not (length := int(size[1], 16)):
            return b"".join(made)
        at = end + 2 + length + 2
        made.append(body[end + 2 : at - 2])
