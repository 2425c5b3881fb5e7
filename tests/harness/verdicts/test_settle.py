"""How many more blocks would settle it."""

import math

from harness.planning import Design
from harness.planning.power import blocks_for_margin
from harness.verdicts.settle import more_blocks

DESIGN = Design(arms=4, level=0.05)


def test_a_large_estimate_points_to_faster() -> None:
    estimate = math.log(1.12)
    total = blocks_for_margin(estimate, 0.08, DESIGN)
    assert total is not None and more_blocks(estimate, 0.08, 10, 4, DESIGN) == total - 4 > 0
    assert more_blocks(-estimate, 0.08, 10, 4, DESIGN) == total - 4, "SLOWER is the mirror image"


def test_a_small_estimate_points_to_same() -> None:
    total = blocks_for_margin(math.log(1.1) - 0.02, 0.08, DESIGN)
    assert total is not None and more_blocks(0.02, 0.08, 10, 4, DESIGN) == total - 4


def test_an_estimate_at_the_edge_is_settled_by_no_number_of_blocks() -> None:
    assert more_blocks(math.log(1.1) - 1e-6, 0.08, 10, 4, DESIGN) is None


def test_it_is_at_least_one() -> None:
    assert more_blocks(math.log(1.5), 0.01, 10, 9, DESIGN) == 1
