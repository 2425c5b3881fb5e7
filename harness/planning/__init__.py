"""Pure planning: which launch comes when, how long production is away, and which effect the plan can see."""

from harness.planning.blocks import slots
from harness.planning.downtime import LaunchTime, estimate, ladder_s, protocol_s
from harness.planning.power import Design, blocks_needed, visible_effect_pct

__all__ = ["Design", "LaunchTime", "blocks_needed", "estimate", "ladder_s", "protocol_s", "slots", "visible_effect_pct"]
