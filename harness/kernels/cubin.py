"""Reading a cubin without a card: which kernels it holds and how large each parameter is. Pure, bytes in.

A cubin is an ELF file; each kernel has a section `.nv.info.NAME` whose records describe it, one of them a parameter.
"""

import struct
from dataclasses import dataclass

ELF = b"\x7fELF\x02\x01"  # 64 bit, little endian
INFO = ".nv.info."
PARAMETER = 0x17  # a record that describes one parameter
SIZED = 0x04  # format of a record that carries its own length
SIZE_SHIFT = 18  # the size stands in the upper bits of the record's last word


@dataclass(frozen=True)
class CubinKernel:
    """One kernel of a cubin."""

    name: str
    parameter_bytes: tuple[int, ...]  # in order


def kernels_of(cubin: bytes) -> tuple[CubinKernel, ...]:
    """Every kernel, by name. Raises ValueError when it is no cubin or cut off."""
    if not cubin.startswith(ELF):
        raise ValueError("this is no cubin (no 64-bit ELF file)")
    try:
        return tuple(sorted(_kernels(cubin), key=lambda kernel: kernel.name))
    except (struct.error, IndexError, OverflowError, ValueError) as error:
        raise ValueError("the cubin is cut off") from error


def _kernels(cubin: bytes) -> list[CubinKernel]:
    table, each, count, names_index = *struct.unpack_from("<Q", cubin, 40), *struct.unpack_from("<HHH", cubin, 58)
    headers = [struct.unpack_from("<IIQQQQ", cubin, table + index * each) for index in range(count)]
    names = headers[names_index]
    found = []
    for header in headers:
        start = names[4] + header[0]
        name = cubin[start : cubin.index(b"\0", start)].decode("ascii", "replace")
        if name.startswith(INFO):
            found.append(CubinKernel(name.removeprefix(INFO), _parameters(cubin[header[4] : header[4] + header[5]])))
    return found


def _parameters(info: bytes) -> tuple[int, ...]:
    sizes: dict[int, int] = {}
    at = 0
    while at + 4 <= len(info):
        form, kind, length = struct.unpack_from("<BBH", info, at)
        at += 4
        if form != SIZED:
            continue
        if kind == PARAMETER:
            _, ordinal, _, flags = struct.unpack_from("<IHHI", info, at)
            sizes[ordinal] = flags >> SIZE_SHIFT
        at += length
    return tuple(sizes[ordinal] for ordinal in sorted(sizes))
