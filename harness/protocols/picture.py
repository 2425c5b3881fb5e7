"""A square picture as a PNG, made here so that nothing has to be shipped: pure, different for every seed and key."""

import base64
import random
import struct
import zlib


def png(seed: int, key: str, side: int) -> bytes:
    """A picture of `side` x `side` pixels, eight bits of red, green and blue: a slope of colours with three squares."""
    chosen = random.Random(f"{seed}/{key}/{side}")  # noqa: S311 - reproducible, not secret
    red, green, blue = (chosen.randrange(256) for _ in range(3))
    squares = [(chosen.randrange(side), chosen.randrange(side), chosen.randrange(256)) for _ in range(3)]
    rows = bytearray()
    for y in range(side):
        row = bytearray(bytes((red, green, (blue + y * 255 // side) % 256)) * side)
        for left, top, shade in squares:
            if top <= y < top + side // 8 + 1:
                right = min(side, left + side // 8 + 1)
                row[3 * left : 3 * right] = bytes((shade, 255 - shade, shade)) * (right - left)
        rows += b"\0" + row  # filter type 0 before each row
    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    pieces = ((b"IHDR", head), (b"IDAT", zlib.compress(bytes(rows), 6)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in pieces)


def data_url(picture: bytes) -> str:
    """The picture as a request carries it."""
    return "data:image/png;base64," + base64.b64encode(picture).decode()


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
