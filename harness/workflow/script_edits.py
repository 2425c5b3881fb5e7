"""Whether every arm's edits of the deploy script can be made, asked of the script itself while production is still up.

Parts of a stack may not edit the same line differently: which of the two would hold is nobody's decision.
"""

from collections.abc import Mapping
from dataclasses import asdict
from itertools import combinations
from pathlib import Path

from harness.hosts.base import WorkedHost
from harness.overlay.edits import edited, lines_of
from harness.overlay.prepare import SCRIPT_MIB, prepare
from harness.vocabulary.arm import Arm
from harness.workflow.order import Order

UNTOUCHED = "production was not touched"


async def unfit_edits(order: Order, host: WorkedHost) -> str | None:
    """One sentence for the first arm whose copy of the script could not be made as it says, none if all can."""
    deploy, arms = order.target.deploy, {item.arm.name: item.arm for item in order.arms}
    if deploy is None or not any(arm.deploy for arm in arms.values()):
        return None
    text, kept = await _whole(host, Path(deploy.script)), f"{order.copies}; {UNTOUCHED}"
    if text is None:
        return f"deploy script {deploy.script!r} does not exist on the host; correct the target's file; {kept}"
    for arm in arms.values():
        for change in prepare(order.target, arm, order.run).changes:
            made = edited(text, [asdict(edit) for edit in change.edits or ()], change.path)
            if isinstance(made, str):
                return f"arm {arm.name!r}: {made}; {kept}"
        if said := same_line(text, arm, arms):
            return f"{said}; {kept}"
    return None


def same_line(text: bytes, stack: Arm, arms: Mapping[str, Arm]) -> str | None:
    """One sentence where two parts of a stack edit one line of the script differently, none where none do. Pure."""
    parts = [arms[name] for name in stack.stack if name in arms]
    for one, other in combinations(parts, 2):
        for mine in one.deploy:
            for theirs in other.deploy:
                lines = lines_of(text, mine.find) & lines_of(text, theirs.find)
                if lines and mine != theirs:
                    return (
                        f"arm {stack.name!r}: its parts {one.name!r} and {other.name!r} edit line {min(lines) + 1} of "
                        "the deploy script differently, so they cannot be stacked; write one arm that makes both edits"
                    )
    return None


async def _whole(host: WorkedHost, path: Path) -> bytes | None:
    """The script; none where there is no such file. What is longer than a script may be is left to the copying."""
    text = b""
    while len(text) <= SCRIPT_MIB << 20:
        piece = await host.read(path, len(text))
        if piece is None:
            return None
        if not piece:
            break
        text += piece
    return text
