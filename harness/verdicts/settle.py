"""How many more blocks would settle an AMBIGUOUS, if the change stays as it was seen."""

import math

from harness.planning.power import Design, blocks_for_margin


def more_blocks(
    estimate: float, launch_sd: float, smallest_effect_pct: float, blocks: int, design: Design
) -> int | None:
    """Blocks beyond `blocks` (log-scale estimate and spread), or none if no useful number is enough.

    An estimate of at least the smallest effect points to FASTER or SLOWER, and 0 has to be cleared; a smaller one
    points to SAME, and the nearer edge of plus or minus the smallest effect has to be cleared. Either with the
    design's power.
    """
    effect, size = math.log1p(smallest_effect_pct / 100), abs(estimate)
    needed = blocks_for_margin(size if size >= effect else effect - size, launch_sd, design)
    return None if needed is None else max(1, needed - blocks)
