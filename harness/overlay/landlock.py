"""Leave one folder to write in, then become another program: `landlock.py FOLDER must|may PROGRAM ...`.

Linux's Landlock, which needs no rights: https://docs.kernel.org/userspace-api/landlock.html. Standard library only: the
host's own Python is handed this text, so it must stand alone. Where the kernel has no Landlock `must` ends with 120 and
`may` goes on without.
"""

import ctypes
import os
import struct
import sys

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # system calls, the same number on every architecture
VERSION, BENEATH = 1, 1
SET_NO_NEW_PRIVS = 38
WRITES = 1 << 1 | sum(1 << bit for bit in range(4, 13))  # write, remove and make whatever there is to make
REFER, TRUNCATE = 1 << 13, 1 << 14  # move between folders (ABI 2), cut (ABI 3)
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/tty")
UNKNOWN = 120


def main(folder: str, must: str, argv: list[str]) -> None:
    """Shut this process in and become the program. Raises OSError where that cannot be done."""
    libc = ctypes.CDLL(None, use_errno=True)
    abi = libc.syscall(CREATE_RULESET, None, ctypes.c_size_t(0), VERSION)
    if abi >= 1:
        _shut_in(libc, folder, abi)
    elif must == "must":
        sys.exit(UNKNOWN)
    os.execvp(argv[0], argv)  # noqa: S606 - the build's own command, without a shell


def _shut_in(libc: ctypes.CDLL, folder: str, abi: int) -> None:
    rights = WRITES | (REFER if abi > 1 else 0) | (TRUNCATE if abi > 2 else 0)
    packed = struct.pack("=Q", rights)
    ruleset = _called(libc, CREATE_RULESET, packed, ctypes.c_size_t(len(packed)), 0)
    for path in (folder, *DEVICES):
        if not os.path.lexists(path):
            continue
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        allowed = rights if path == folder else rights & (1 << 1 | TRUNCATE)
        _called(libc, ADD_RULE, ruleset, BENEATH, struct.pack("=Qi", allowed, place), 0)
        os.close(place)
    libc.prctl(SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    _called(libc, RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


def _called(libc: ctypes.CDLL, *arguments: object) -> int:
    done = int(libc.syscall(*arguments))
    if done < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return done


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
