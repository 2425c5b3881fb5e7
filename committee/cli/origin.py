"""Which runs measured a simulated server: their numbers are labelled wherever a command shows them."""

from collections.abc import Collection

from committee.report.runs import simulated
from ledger.asking import opening_launches
from ledger.store import Ledger

LABEL = "simulated server"


def simulated_runs(ledger: Ledger, runs: Collection[str]) -> frozenset[str]:
    """Those of these runs whose first launch started a simulator."""
    return frozenset(launch.run for launch in opening_launches(ledger, runs) if simulated(launch))
