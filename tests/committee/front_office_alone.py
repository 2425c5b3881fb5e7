"""Imports the whole front office where the modules that only POSIX has are hidden; prints what could not be imported.

Libraries are loaded first, because on this system they choose their own POSIX parts; ours come after, all anew.
"""

import importlib.util
import json
import pkgutil
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

LIBRARIES = (
    "typer", "rich.live", "rich.progress", "openai", "httpx", "httpx2", "langgraph.graph", "git", "detect_secrets",
    "langgraph.checkpoint.sqlite.aio", "langsmith.run_helpers", "jinja2", "sqlmodel", "rfc8785", "pydantic", "numpy",
    "scipy.stats", "scipy.optimize", "scipy.special", "pytest_asyncio", "rapidfuzz",
)  # fmt: skip
POSIX_ONLY = frozenset({"fcntl", "pwd", "grp", "resource", "termios", "tty", "pty"})
OURS = ("committee", "harness", "ledger")


class Hiding:
    """As on a system without them."""

    def find_spec(
        self, name: str, _path: Sequence[str] | None = None, _of: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Refuses the hidden names, knows no others."""
        if name in POSIX_ONLY:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None


def main() -> None:
    """One JSON object: module, and the error's words."""
    for name in LIBRARIES:
        if importlib.util.find_spec(name.partition(".")[0]):
            importlib.import_module(name)
    for name in [*sys.modules]:
        if name in POSIX_ONLY or name.partition(".")[0] in OURS:
            del sys.modules[name]
    sys.meta_path.insert(0, Hiding())
    failed: dict[str, str] = {}
    package = importlib.import_module("committee")
    for module in pkgutil.walk_packages(package.__path__, "committee."):
        if module.name.endswith("__main__"):
            continue
        try:
            importlib.import_module(module.name)
        except ImportError as error:
            failed[module.name] = str(error)
    sys.stdout.write(json.dumps(failed, indent=1) + "\n")


if __name__ == "__main__":
    main()
