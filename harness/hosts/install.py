"""Installs a bundle on a host: its text is sent to that host's Python on standard input, with one call at its end.

Standard library only, in words that a Python too old for the rest still reads. A folder that is there is never written
into: a guardian may run from it.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import sys

OLDEST = (3, 11)


def main(packed):  # type: ignore[no-untyped-def]
    """Print one line of JSON: where the bundle lies, or an error in one sentence."""
    asked = json.loads(base64.b64decode(packed).decode())
    print(json.dumps(install(asked["folder"], asked["digest"], asked["files"])))  # noqa: T201 - this is its answer


def install(folder: str, digest: str, files: dict[str, str]) -> dict[str, str]:
    """Write the files below FOLDER/code/DIGEST, all or none; `files` holds base64."""
    if sys.version_info < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        said = f"its Python {sys.version.split()[0]} is older than {oldest}"
        return {"error": f"{said}; name a newer one in the target's host.python"}
    base = os.path.join(os.path.expanduser("~"), folder)  # noqa: PTH118, PTH111 - read by old Pythons too
    place = os.path.join(base, "code", digest)  # noqa: PTH118
    wanted = {name: base64.b64decode(content) for name, content in files.items()}
    try:
        if not os.path.isdir(place):  # noqa: PTH112
            _write(place, wanted)
        changed = [name for name, content in wanted.items() if _content(place, name) != content]
    except OSError as error:
        return {"error": f"{error.filename or place!r} cannot be used ({error.strerror})"}
    if changed:
        said = f"{place!r} is not what was put there ({changed[0]} differs)"
        return {"error": f"{said}; end what runs from it, remove it, and try again"}
    return {"code": place, "folder": base}


def _write(place: str, wanted: dict[str, bytes]) -> None:
    """Into a folder beside it, which then gets its name in one step; somebody else's that came first stays."""
    beside = f"{place}.{os.getpid()}"
    for name, content in wanted.items():
        path = os.path.join(beside, name)  # noqa: PTH118
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)  # noqa: PTH103, PTH120
        with open(path, "wb") as file:  # noqa: PTH123
            file.write(content)
    try:
        os.rename(beside, place)  # noqa: PTH104
    except OSError:
        shutil.rmtree(beside)
        if not os.path.isdir(place):  # noqa: PTH112
            raise


def _content(place: str, name: str) -> bytes:
    try:
        with open(os.path.join(place, name), "rb") as file:  # noqa: PTH118, PTH123
            return file.read()
    except FileNotFoundError:
        return b""
