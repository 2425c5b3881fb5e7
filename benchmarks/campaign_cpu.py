"""The campaign's questions that make sense on a real llama.cpp server on this machine's CPU, measured for real.

`python -m benchmarks.campaign_cpu [ID ...]` makes a scratch workspace, measures, and prints machine, load and a
line for each arm. No conclusion is expected: machine, model and engine are others than the campaign's.
"""

import argparse
import os
import tempfile
from datetime import datetime
from pathlib import Path

from benchmarks.campaign import copied, measured
from committee.making import init
from ledger.entries import Verdict

PROPOSALS = ("0015", "0016", "0017", "0018")


def line(proposal: str, arm: str, verdict: Verdict) -> str:
    """One row of the table."""
    span = verdict.interval
    change = f"{span.estimate_pct:+.1f} ({span.low_pct:+.1f} to {span.high_pct:+.1f})" if span else "-"
    spread = f"{span.launch_sd_pct:.1f}" if span else "-"
    visible = "-" if verdict.visible_effect_pct is None else f"{verdict.visible_effect_pct:.0f}"
    came = verdict.speed or f"{verdict.validity} ({'; '.join(verdict.reasons)})"
    return f"| {proposal} | {arm} | {came} | {verdict.numerics} | {change} | {spread} | {visible} | {verdict.blocks} |"


def machine() -> str:
    """Processors and how busy they are."""
    names = [text for text in Path("/proc/cpuinfo").read_text().splitlines() if text.startswith("model name")]
    model = names[0].partition(":")[2].strip() if names else "unknown"
    return f"{os.cpu_count()} cores, {model}, load average {os.getloadavg()[0]:.1f}"


def waits_passively(target: Path) -> None:
    """The copy of the target with OMP_WAIT_POLICY=passive in its baseline: for a machine that others use as well."""
    words = target.read_text(encoding="utf-8")
    target.write_text(words.replace("[endpoint]", '[baseline.env]\nOMP_WAIT_POLICY = "passive"\n\n[endpoint]', 1))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("proposals", nargs="*", default=list(PROPOSALS), help="their four digits")
    parser.add_argument("--blocks", help="blocks instead of the criteria's")
    parser.add_argument("--passive", action="store_true", help="idle threads of the server give their core back")
    words = parser.parse_args()
    more = ("--blocks", words.blocks) if words.blocks else ()
    print(f"{datetime.now().astimezone():%d %B %Y %H:%M}, {machine()}")
    print("| proposal | arm | speed | text | change, % (bounds) | sd of launches, % | visible, % | blocks |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        workspace = init(Path(scratch) / "campaign")
        for proposal in words.proposals:
            copied(workspace, proposal)
            if words.passive:
                waits_passively(workspace.folder / "targets" / "local-llamacpp.toml")
            for verdict in measured(workspace, proposal, *more):
                if verdict.primary:
                    print(line(proposal, verdict.arm_name, verdict), flush=True)
        print(f"at the end: {machine()}")


if __name__ == "__main__":
    main()
