"""Pure: from launches, gates and trials to verdicts on three axes, and from verdicts to what is missing."""

from harness.verdicts.acceptance import criteria_missing
from harness.verdicts.assemble import RunVerdict, assemble
from harness.verdicts.cells import Evidence
from harness.verdicts.guards import guard_holds

__all__ = ["Evidence", "RunVerdict", "assemble", "criteria_missing", "guard_holds"]
