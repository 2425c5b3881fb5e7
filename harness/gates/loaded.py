"""Whether the objects that an arm puts in place are the ones that run, and every card holds its share. Pure."""

from collections.abc import Mapping

from harness.gates.running import Running
from harness.procview import OBJECT
from harness.vocabulary.arm import Arm
from harness.vocabulary.base import Scalar
from harness.vocabulary.target import Target

MODEL_SUFFIX = ".gguf"


def unloaded(target: Target, arm: Arm, running: Running) -> tuple[str, ...]:
    """One sentence for each shared object, kernel or model of the arm that the processes have not mapped as asked.

    As many processes must have mapped an overlaid object as the target's markers count workers. What is not mapped by
    nature (a source that is compiled) is left to the witness.
    """
    if not running.objects:
        return ()
    needed = max((armed.count for armed in target.armed), default=1)
    said: list[str] = []
    for overlay in arm.overlay:
        if not OBJECT.search(overlay.path):
            continue
        held = [one for one in running.objects if one.path in (overlay.path, overlay.source)]
        right = {pid for one in held if overlay.sha256 in (None, one.sha256) for pid in one.pids}
        other = {pid for one in held for pid in one.pids} - right
        if other:
            said.append(f"pids {sorted(other)} have mapped another content at {overlay.path!r} than {overlay.source!r}")
        elif len(right) < needed:
            said.append(f"{len(right)} of {needed} processes have mapped {overlay.path!r}")
    models = {one.path for one in running.objects if one.path.endswith(MODEL_SUFFIX)}
    if arm.model and models and arm.model not in models:
        said.append(f"the model {arm.model!r} is not mapped; mapped is {', '.join(sorted(models))}")
    return tuple(said)


def unused_cards(flags: Mapping[str, Scalar], running: Running) -> str | None:
    """A sentence where fewer cards hold processes of the server than its tensor parallel size (lesson A8)."""
    size = flags.get("tensor-parallel-size")
    held = [card.index for card in running.cards if running.pids & set(card.pids or ())]
    silent = sum(card.pids is None for card in running.cards)  # these may hold some
    if not isinstance(size, int) or isinstance(size, bool) or not held or len(held) + silent >= size:
        return None
    return f"tensor-parallel-size is {size}, but only cards {held} hold processes of this server"
