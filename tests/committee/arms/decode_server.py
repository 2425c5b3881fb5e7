"""The small server with a decoding step of its own: a C source that it compiles when it starts, as the real one does.

`python decode_server.py SOURCE [flags of small_server]`. Each token is the row that the compiled code finds largest, so
a wrong kernel says other words and a slower one says them later.
"""

import ctypes
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from tests.harness import small_server

SEED = 20_261_130
COMPILE_S = 60


def compiled(source: Path) -> Callable[[int], int]:
    """The step of a source, compiled now; its log says which one it is."""
    with tempfile.TemporaryDirectory(prefix="decode-") as folder:
        built = Path(folder, "decode.so")
        subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", built, source], check=True, timeout=COMPILE_S)
        library = ctypes.CDLL(str(built))
    library.decode_way.restype = ctypes.c_char_p
    library.decode_fill(SEED)
    small_server.say(f"decode kernel: {library.decode_way().decode()}")
    step: Callable[[int], int] = library.decode_step
    return step


if __name__ == "__main__":
    small_server.main(sys.argv[2:], compiled(Path(sys.argv[1])))
