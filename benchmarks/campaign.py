"""The proposals of a real campaign, each measured on the simulator set to what was found then, beside its conclusion.

`python -m benchmarks.campaign [ID ...]` makes a scratch workspace, measures, and prints a line for each arm; exit 1 if
one comes out otherwise. Simulated numbers: the method comes to the right verdict; they say nothing of how fast it is.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from committee.making import init
from committee.proposals.folder import load
from committee.workspace import Workspace
from ledger.entries import MeasuringRun, Verdict

ROOT = Path(__file__).resolve().parents[1]
LIMIT_S = 1500


@dataclass(frozen=True)
class Expected:
    """What one arm came to in the campaign."""

    arm: str
    words: frozenset[str]  # any of these: a speed, or a validity where there is no number
    numerics: str = ""  # empty: not part of the conclusion
    metric: str = ""  # empty: the criteria's primary one


FASTER, SLOWER, NOT_FASTER = frozenset({"FASTER"}), frozenset({"SLOWER"}), frozenset({"SAME", "AMBIGUOUS", "SLOWER"})
NO_GAIN = frozenset({"SAME", "AMBIGUOUS"})
# Of a guard: at this level one placebo in twenty differs by chance, and then there is no number.
NOT_PAST = NO_GAIN | {"INVALID"}
CHUNKS = ("chunks-of-16384", "chunks-of-8192", "small-budget")
SWITCHES = (
    "speculation", "spec-core-op", "spec-core-op-alt", "full-forward", "compile-graph", "gdn-nosync", "fused-sigmoid",
    "packed-decode", "empty-core-out", "core-op-and-graph",
)  # fmt: skip
EXPECTED: dict[str, tuple[Expected, ...]] = {
    "0002": (
        Expected("iq4xs-file", FASTER, "CHANGED"),
        Expected("more-seats", NO_GAIN),
        Expected("less-memory", NO_GAIN),
    ),
    "0003": (
        *(Expected(name, SLOWER) for name in SWITCHES),
        *(Expected(name, SLOWER, metric="total_tok_s") for name in SWITCHES),
    ),
    "0004": (
        Expected("input-projection", NO_GAIN, "CHANGED"),
        Expected("input-core", NO_GAIN, "CHANGED"),
        Expected("output-projection", NO_GAIN, "CHANGED"),
        Expected("input-and-output", NO_GAIN, "CHANGED"),
        Expected("contiguous-qkv", frozenset({"INVALID"})),
    ),
    "0005": (
        Expected("longer-context", frozenset({"INVALID"})),
        Expected("more-splits", NO_GAIN),
        Expected("built-for-2048", NO_GAIN),
    ),
    "0006": (Expected("whole-prompts", FASTER), Expected("small-pieces", SLOWER)),
    "0007": (Expected("by-priority", SLOWER), Expected("by-priority", NOT_PAST, metric="probe_done_share")),
    "0008": (Expected("larger-set", FASTER),),
    "0012": (
        *(Expected(name, SLOWER) for name in CHUNKS),
        *(Expected(name, NOT_PAST, metric="probe_done_share") for name in CHUNKS),
    ),
    "0013": tuple(Expected(name, SLOWER, "CHANGED") for name in ("values-q8", "keys-q8", "both-q8")),
    "0014": (
        Expected("by-layer", NO_GAIN),
        Expected("by-row", SLOWER),
        Expected("by-tensor", frozenset({"INVALID"})),
    ),
}
# Of two arms of a proposal: the first one's change of the metric (empty: the primary one) is the larger.
ORDER: dict[str, tuple[tuple[str, str, str], ...]] = {
    "0003": (
        ("", "spec-core-op", "full-forward"),  # ranked the other way round by its name (C2)
        ("", "core-op-and-graph", "compile-graph"),  # the flag does nothing alone (A7)
        ("ttft_ms", "full-forward", "speculation"),
        ("ttft_ms", "spec-core-op", "core-op-and-graph"),  # on top of the other it repairs what that one damaged
    ),
}


def copied(workspace: Workspace, proposal: str) -> None:
    """The proposal's folder and its target, put into the scratch workspace."""
    (source,) = (ROOT / "proposals").glob(f"{proposal}-*")
    shutil.copytree(source, workspace.folder / "proposals" / source.name)
    target = load(source).header.target
    shutil.copy(ROOT / "targets" / f"{target}.toml", workspace.folder / "targets")


def measured(workspace: Workspace, proposal: str, *more: str) -> tuple[Verdict, ...]:
    """Every verdict of the proposal's one run, none where it did not begin; `more` goes on to `committee measure`."""
    folder = workspace.proposal_folder(proposal)
    target = load(folder).header.target
    _run("harness", "start", target, workspace)
    try:
        _run("committee", "measure", folder.name, workspace, "--yes", *more)
    finally:
        _run("harness", "stop", target, workspace)
    with workspace.ledger() as ledger:
        runs = ledger.of(MeasuringRun, proposal=folder.name)
        return tuple(verdict for _, verdict in ledger.of(Verdict, run=runs[-1][1].run)) if runs else ()


def of(expected: Expected, verdicts: tuple[Verdict, ...]) -> Verdict | None:
    """The verdict that the expectation is about."""
    return next(
        (
            one
            for one in verdicts
            if one.arm_name == expected.arm and (one.metric == expected.metric if expected.metric else one.primary)
        ),
        None,
    )


def line(proposal: str, expected: Expected, verdict: Verdict | None) -> tuple[bool, str]:
    """Whether it came out as it should, and a line of the table."""
    name = f"{expected.arm}, {expected.metric}" if expected.metric else expected.arm
    if verdict is None:
        return False, f"| {proposal} | {name} | no verdict | - | - |"
    came = verdict.speed or verdict.validity
    change = "-" if verdict.interval is None else f"{verdict.interval.estimate_pct:+.1f} %"
    good = came in expected.words and expected.numerics in ("", verdict.numerics)
    words = "/".join(sorted(expected.words)) + (f", text {expected.numerics}" if expected.numerics else "")
    return good, f"| {proposal} | {name} | {came}, text {verdict.numerics} | {change} | {words} |"


def ordered(proposal: str, pair: tuple[str, str, str], verdicts: tuple[Verdict, ...]) -> tuple[bool, str]:
    """Whether the first arm's change is the larger one, and a line of the table."""
    metric, more, less = pair
    name = f"{more} above {less}, {metric or 'primary'}"
    both = [of(Expected(arm, FASTER, metric=metric), verdicts) for arm in (more, less)]
    changes = [one.interval.estimate_pct for one in both if one is not None and one.interval is not None]
    if len(changes) < 2:
        return False, f"| {proposal} | {name} | no number | - | above |"
    good = changes[0] > changes[1]
    return (
        good,
        f"| {proposal} | {name} | {'above' if good else 'below'} | {changes[0]:+.1f}, {changes[1]:+.1f} % | above |",
    )


def _run(program: str, verb: str, name: str, workspace: Workspace, *more: str) -> None:
    words = [sys.executable, "-m", program, verb, name, "--workspace", str(workspace.folder), *more]
    done = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    if done.returncode:
        print(f"{program} {verb} {name}: {done.stderr.strip()[-500:]}", file=sys.stderr)


def main() -> None:
    """Measure and compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("proposals", nargs="*", default=sorted(EXPECTED), help="their four digits")
    asked = parser.parse_args().proposals
    wrong = 0
    print("| proposal | arm | came out | change | campaign |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as scratch:
        workspace = init(Path(scratch) / "campaign")
        for proposal in asked:
            copied(workspace, proposal)
            found = measured(workspace, proposal)
            for expected in EXPECTED[proposal]:
                good, words = line(proposal, expected, of(expected, found))
                wrong += not good
                print(words, "" if good else "<- otherwise", flush=True)
            for pair in ORDER.get(proposal, ()):
                good, words = ordered(proposal, pair, found)
                wrong += not good
                print(words, "" if good else "<- otherwise", flush=True)
    raise SystemExit(1 if wrong else 0)


if __name__ == "__main__":
    main()
