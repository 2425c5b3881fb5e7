"""What a prompt says of the engine's knobs: the inventory, and every earlier verdict on the same one (lesson C7)."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from committee.pull.inventory import inventory_in
from committee.pull.manifest import manifest_in
from committee.pull.tables import step_tables
from committee.review.known import Knob, Known
from harness.vocabulary.arm import normal
from harness.vocabulary.base import BadFileError, parse_toml
from harness.vocabulary.target import Target
from ledger.entries import Arm, Verdict
from ledger.store import Ledger

KERNEL, TASK, HEADER, SOURCES = "kernel/", "kernel/task.toml", "proposal.toml", (".c", ".cu", ".cuh", ".h")
MAX_LINES = 40  # verdicts shown of one knob, newest first; a knob that was measured more often is in `committee log`
ALONE = 1  # settings of an arm about which a verdict says something of one knob


Earlier = Mapping[str, Sequence[str]]  # knob: one line for each verdict on an arm that turned it, newest first


def known_of(earlier: Earlier, files: Mapping[str, bytes], target: Target) -> Known:
    """Everything beside the files that is known of a revision. Raises BadFileError with one sentence."""
    inventory = inventory_in(files)
    listed = {flag.name: flag for flag in inventory.flag} if inventory else {}
    knobs = [
        Knob(
            name=name,
            default=listed[name].default if name in listed else "",
            in_force=listed[name].in_force if name in listed else "",
            asked=listed[name].asked if name in listed else "",
            earlier=tuple(earlier.get(name, ())[:MAX_LINES]),
        )
        for name in sorted({*listed, *earlier})
    ]
    return Known(tuple(knobs), step_tables(files), patchable(files, target))


def patchable(files: Mapping[str, bytes], target: Target) -> tuple[str, ...]:
    """Files of the revision that an arm's patch may change: fetched from where the target lists an overlay.

    Of a kernel task in kernel/ the sources too; a patch of those is for the kernel bench, not for the server.
    """
    manifest = manifest_in(files)
    fetched = manifest.file if manifest is not None and manifest.target == target.name else ()
    listed = [file.into for file in fetched if file.into in files and target.overlay_of(file.path)]
    wanted = for_bench(files)
    bench = [path for path in files if wanted and path.startswith(KERNEL) and path.endswith(SOURCES)]
    return tuple(sorted({*listed, *bench}))


def for_bench(files: Mapping[str, bytes]) -> bool:
    """Whether the revision is about a kernel task: one in kernel/, or one of the workspace that its header names."""
    if TASK in files:
        return True
    try:
        header = parse_toml(files.get(HEADER, b""), HEADER)
    except BadFileError:
        return False  # the proposal's check says so
    return header.get("kind") == "kernel" and bool(header.get("task"))


def earlier_of(ledger: Ledger, target: str) -> Earlier:
    """What the ledger says of each knob of a target."""
    changes = {
        entry.fingerprint: [
            normal(name) for name in (*entry.definition.get("flags", {}), *entry.definition.get("env", {}))
        ]
        for _, entry in ledger.of(Arm, target=target)
    }
    lines: dict[str, list[str]] = defaultdict(list)
    for _, verdict in reversed(ledger.of(Verdict, target=target, primary=True)):
        names = changes.get(verdict.arm, [])
        for name in names:
            lines[name].append(_line(verdict, alone=len(names) == ALONE))
    return lines


def _line(verdict: Verdict, *, alone: bool) -> str:
    change = f" ({verdict.interval.estimate_pct:+.1f} %)" if verdict.interval else ""
    with_others = "" if alone else " +"  # the arm turned other knobs too
    outcome = verdict.speed or verdict.validity
    return f"{verdict.arm_name}{with_others}: {verdict.metric} @ {verdict.load} {outcome}{change}"
