"""Handing ranking to the bench: the order is written, a separate `harness measure` process is started or rejoined."""

from committee.measure.order import make_order
from committee.measure.process import Ended, RunFiles, begins, measure

__all__ = ["Ended", "RunFiles", "begins", "make_order", "measure"]
