"""A folder with files of a pretended production, and changes of them; steps are taken at once."""

import hashlib
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.overlay.steps import Json, Steps
from harness.overlay.undo import Overlays

SCRIPT = '#!/bin/sh\nexport LIB={lib}\nMAXLEN=65536\nexec server --max-model-len $MAXLEN "$@"\n'


def done(steps: Steps) -> Any:
    """Every step; what the last one returns."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


def sha256(path: Path) -> str:
    """The hash of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


@dataclass(frozen=True)
class Ground:
    """One test's host."""

    root: Path

    @classmethod
    def make(cls, root: Path) -> "Ground":
        """Production's files, and others that may stand in for them."""
        ground = cls(root.resolve())
        for folder in (ground.state, ground.lib, ground.sources):
            folder.mkdir(parents=True)
        (ground.lib / "kernel.so").write_bytes(b"the reference kernel")
        (ground.lib / "kernel.so").chmod(0o640)
        (ground.lib / "__init__.py").write_text("")
        (ground.lib / "inner").mkdir()
        (ground.lib / "inner" / "more.py").write_text("more = 1\n")
        (ground.lib / "link").symlink_to("inner")
        (ground.sources / "kernel.so").write_bytes(b"another kernel, longer")
        ground.script.write_text(SCRIPT.format(lib=ground.lib))
        ground.script.chmod(0o755)
        return ground

    @property
    def state(self) -> Path:
        return self.root / "state"

    @property
    def lib(self) -> Path:
        return self.root / "lib"

    @property
    def sources(self) -> Path:
        return self.root / "sources"

    @property
    def script(self) -> Path:
        return self.root / "deploy.sh"

    @property
    def kernel(self) -> Path:
        return self.lib / "kernel.so"

    def overlays(self, said: list[tuple[str, str]] | None = None) -> Overlays:
        """As a guardian that has just been started would have it."""
        told = said if said is not None else []
        return Overlays(self.state, lambda what, detail: told.append((what, detail)))

    def in_place(self, **other: Any) -> Json:
        """The other kernel at the place of production's."""
        source = self.sources / "kernel.so"
        change: Json = {"kind": "in-place", "path": str(self.kernel), "source": str(source), "max_mib": 10}
        return change | {"sources": str(self.sources), "sha256": sha256(source)} | other

    def beside(self, **other: Any) -> Json:
        """A copy of the whole library with the other kernel in it."""
        made = self.root / "lib.committee-run-1"
        change = self.in_place(kind="copy", copies=str(self.lib), made=str(made), to=str(made / "kernel.so"))
        return change | other

    def edited(self, *edits: Json, **other: Any) -> Json:
        """A copy of the script."""
        change: Json = {"kind": "copy", "path": str(self.script), "copies": str(self.script), "max_mib": 1}
        change |= {"made": str(self.root / "deploy.committee-run-1.sh"), "edits": list(edits)}
        return change | other

    def files(self) -> dict[str, tuple[Any, ...]]:
        """Every file outside the state directory, with all that must be as it was."""
        found: dict[str, tuple[Any, ...]] = {}
        for path in sorted(self.root.rglob("*")):
            if path.is_file() and self.state not in path.parents:
                seen = path.lstat()
                found[str(path)] = (sha256(path), seen.st_mode, seen.st_uid, seen.st_gid, seen.st_mtime_ns)
        return found


def literal(find: str, replace: str) -> Json:
    """An edit as an arm names it."""
    return {"find": find, "replace": replace, "path": False, "least": 1}


def moved(find: Path | str, replace: Path | str, least: int = 1) -> Json:
    """A path that is another one in the copy."""
    return {"find": str(find), "replace": str(replace), "path": True, "least": least}


def gguf(*, tensors: int = 2, short_by: int = 0, architecture: str = "qwen35", part: tuple[int, int] = (0, 0)) -> bytes:
    """A model file of F32 tensors of eight weights, whole or cut; `part` is its number from 0 and of how many."""

    def text(word: str) -> bytes:
        return struct.pack("<Q", len(word.encode())) + word.encode()

    keys = [
        text("general.architecture") + struct.pack("<I", 8) + text(architecture),
        text(f"{architecture}.context_length") + struct.pack("<II", 4, 262144),
        text("tokenizer.tokens") + struct.pack("<IIQ", 9, 8, 2) + text("a") + text("b"),
        text("scores") + struct.pack("<IIQ", 9, 6, 3) + b"\0" * 12,
    ]
    if part[1]:
        numbers = {"split.no": part[0], "split.count": part[1]}
        keys += [text(name) + struct.pack("<IH", 2, value) for name, value in numbers.items()]
    infos = [text(f"blk.{n}") + struct.pack("<IQIQ", 1, 8, 0, 32 * n) for n in range(tensors)]
    head = b"GGUF" + struct.pack("<IQQ", 3, tensors, len(keys)) + b"".join(keys) + b"".join(infos)
    whole = head + b"\0" * (-len(head) % 32) + b"\1" * (32 * tensors)
    return whole[: len(whole) - short_by]
