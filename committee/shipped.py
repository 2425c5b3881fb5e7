"""Where the files lie that ship with the product: at a checkout's root, or inside an installed package."""

from pathlib import Path
from typing import Literal

PACKAGED = Path(__file__).parent / "demo" / "data"  # filled by setup.py when a wheel is built, absent in a checkout
CHECKOUT = Path(__file__).parent.parent
TEMPLATES = Path(__file__).parent / "templates"

Part = Literal["proposals", "recordings", "targets", "committee.toml"]
PARTS: tuple[Part, ...] = ("proposals", "recordings", "targets", "committee.toml")


class NotShippedError(RuntimeError):
    """A shipped file is missing: the installation is broken, or the package was copied without its data."""


def shipped(part: Part) -> Path:
    """The shipped folder or file. Raises NotShippedError when the installation lacks it."""
    for root in (PACKAGED, CHECKOUT):
        if (root / part).exists():
            return root / part
    raise NotShippedError(f"{part!r} did not come with this installation; install the package again")
