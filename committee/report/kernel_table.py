"""The table of one run of the kernel bench: times of kernels alone, never in one order with a server's figures."""

from collections.abc import Sequence

from rich import box
from rich.table import Table
from rich.text import Text

from harness.cli.terminal import one_line
from ledger.entries import KernelRun, KernelVerdict
from ledger.store import Ledger

ALONE = "kernels alone: a faster kernel is not yet a faster server, and only the server's verdicts can be accepted"
STYLES = {"FASTER": "bold blue", "SLOWER": "bold red", "SAME": "dim", "AMBIGUOUS": "bold magenta"}
SHOWN = 200  # characters of a reason; the entry holds every word
DECIDED = ("measured", "incomplete", "input_wrong")  # outcomes whose verdicts are on record


def kernel_runs(ledger: Ledger, proposal: str) -> tuple[KernelRun, ...]:
    """The bench's runs for a proposal, oldest first."""
    return tuple(run for _, run in ledger.of(KernelRun, proposal=proposal))


def kernel_verdicts(ledger: Ledger, run: str) -> tuple[KernelVerdict, ...]:
    """A run's verdicts: by shape and mode as they were timed, the fastest first; what is not right last."""
    found = [verdict for _, verdict in ledger.of(KernelVerdict, run=run)]
    return (*(one for one in found if one.time_us is not None), *(one for one in found if one.time_us is None))


def kernel_table(run: KernelRun, verdicts: Sequence[KernelVerdict]) -> Table:
    """One row for each arm, shape and mode."""
    title = f"task {run.task} on {run.device or 'no device'}, against {run.arms[0] if run.arms else 'the baseline'}"
    table = Table(title=Text(one_line(title)), box=box.SIMPLE_HEAD, title_justify="left", pad_edge=False)
    for name in ("arm", "shape", "mode", "verdict", "change", "time us"):
        table.add_column(name, no_wrap=True)
    for one in verdicts:
        told = Text(one.speed or one.validity, style=STYLES.get(one.speed or "", "bold red"))
        table.add_row(*_cells(one.arm_name, one.shape, one.mode), told, *_cells(change(one), time_us(one)))
    return table


def kernel_notes(run: KernelRun, verdicts: Sequence[KernelVerdict]) -> tuple[str, ...]:
    """What stands below the table, one line each."""
    reasons = {one.arm_name: one.reason for one in verdicts if one.reason}
    patches = [f"{one.arm_name}: a reviewer's patch of {one.source_of}, read by {one.person}" for one in run.patches]
    said = [f"{name}: {reason[:SHOWN]}" for name, reason in reasons.items()]
    caught = sum(one.found == one.expected for one in run.wrong)
    wrong = [f"{caught} of {len(run.wrong)} known-wrong arms were caught"] if run.wrong else []
    return tuple(one_line(line) for line in (*said, *patches, f"{run.outcome}: {run.detail}", *wrong, ALONE))


def change(verdict: KernelVerdict) -> str:
    """Change of calls a second with its bounds, or that there is no number."""
    if verdict.estimate_pct is None or verdict.low_pct is None or verdict.high_pct is None:
        return "no number"
    return f"{verdict.estimate_pct:+.1f} % [{verdict.low_pct:+.1f}, {verdict.high_pct:+.1f}]"


def time_us(verdict: KernelVerdict) -> str:
    """Median time of a call."""
    return "" if verdict.time_us is None else f"{verdict.time_us:.4g}"


def _cells(*words: str) -> tuple[Text, ...]:
    return tuple(Text(one_line(word)) for word in words)
