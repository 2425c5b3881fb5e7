"""What is copied to a host over ssh: the far end, the guardian and all that they import, as one set with one hash."""

import base64
import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
STARTS = ("harness.hosts.far", "harness.guardian", "harness.hosts.local")
MAIN = b'''"""The far end's command line: python3 FOLDER look|restore STATE_DIR."""

import sys

from harness.hosts.far import main

sys.exit(main())
'''
INSTALLER = Path(__file__).parent / "install.py"
# Of our own files, whose imports stand at the beginning of a line. Not `ast`: Python 3.11.2's fails now and then in a
# process with threads ("AST constructor recursion depth mismatch").
IMPORT = re.compile(r"^ *(?:from|import) +(harness[\w.]*)(?: +import +(\([^)]*\)|[^\n]*))?", re.MULTILINE)
DIGEST_CHARS = 16  # of a SHA-256, in a folder's name


@dataclass(frozen=True)
class Bundle:
    """Files by their path in the folder, and the name of that folder."""

    files: tuple[tuple[str, bytes], ...]
    digest: str

    def program(self, folder: str) -> bytes:
        """A Python program that installs it below `folder` (relative to the login's home) and prints where, in JSON."""
        asked = {
            "folder": folder,
            "digest": self.digest,
            "files": {name: base64.b64encode(content).decode() for name, content in self.files},
        }
        packed = base64.b64encode(json.dumps(asked).encode()).decode()
        return INSTALLER.read_bytes() + f"\n\nmain({packed!r})\n".encode()


def bundle(root: Path = ROOT) -> Bundle:
    """The set as it is in this installation."""
    files = {"__main__.py": MAIN}
    waiting = [f"{name.replace('.', '/')}.py" for name in STARTS]
    while waiting:
        name = waiting.pop()
        if name not in files:
            files[name] = (root / name).read_bytes()
            waiting.extend(_needed(root, name))
    ordered = tuple(sorted(files.items()))
    digest = hashlib.sha256(b"".join(part for name, content in ordered for part in (name.encode(), b"\0", content)))
    return Bundle(ordered, digest.hexdigest()[:DIGEST_CHARS])


def _needed(root: Path, name: str) -> list[str]:
    """The packages that a file lies in, and the files of ours that it imports."""
    found = [str(folder / "__init__.py") for folder in Path(name).parents if folder.name]
    for module, names in IMPORT.findall((root / name).read_text(encoding="utf-8")):
        for imported in (module, *(f"{module}.{word}" for word in re.findall(r"\w+", names))):
            path = imported.replace(".", "/")
            found.extend(one for one in (f"{path}.py", f"{path}/__init__.py") if (root / one).is_file())
    return found
