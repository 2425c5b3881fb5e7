"""Tables and lines of `harness kernel run` and `compare`: what was proved and measured. Prints nothing itself."""

from collections.abc import Iterator, Sequence

from rich.table import Table

from harness.cli.terminal import one_line
from harness.kernels.bench.results import ArmResult, Report
from harness.kernels.compare import Row

GIGA = 1e9
SLOWED = 0xE8  # of NVML's reasons: slowed down by hardware, by heat (software or hardware), by a power brake
THROTTLING = "card.clocks_throttle_reasons.active"
CEILINGS = (("memory", "memory_bytes", "B"), ("cache", "cache_bytes", "B"), ("fp32", "fp32", "op"))
MACHINE = ("processor", "processors", "load_1_min", "governor")


def proof_table(report: Report) -> Table:
    """One line for each arm."""
    table = Table("arm", "family", "is", "same bytes twice", "worst norm ratio", "worst element", box=None)
    for arm in report.arms:
        near = [one for listed in arm.near.values() for one in listed]
        norm, worst = (
            (f"{max(values):.3g}" if values else "" for values in zip(*[(n.norm, n.worst) for n in near], strict=True))
            if near
            else ("", "")
        )
        same = "" if arm.deterministic is None else "yes" if arm.deterministic else "no"
        table.add_row(arm.arm, arm.family, one_line(_word(arm)), same, norm, worst)
    return table


def _word(arm: ArmResult) -> str:
    if not arm.expected:
        return arm.reason or "right"
    return (
        f"caught: {arm.reason}"
        if arm.reason == arm.expected
        else f"NOT CAUGHT as {arm.expected}: {arm.reason or 'right'}"
    )


def proof_words(report: Report) -> Iterator[str]:
    """Why arms are not right."""
    for arm in report.arms:
        if arm.reason:
            yield f"{arm.arm}{f' at shape {arm.shape!r}' if arm.shape else ''}: {arm.reason}: {arm.detail}"


def compared_table(rows: Sequence[Row], baseline: str) -> Table:
    """One line for each shape, mode and arm, the fastest first."""
    table = Table(
        "shape",
        "mode",
        "arm",
        "family",
        "time us",
        "blocks",
        "GB/s",
        "Gop/s",
        "calls/s against baseline",
        "verdict",
        box=None,
    )
    for row in rows:
        change, word = "", "baseline" if row.arm == baseline else row.reason
        if row.answer is not None:
            interval = row.answer.interval
            change = f"{interval.estimate_pct:+.1f} % [{interval.low_pct:+.1f}, {interval.high_pct:+.1f}]"
            word = row.answer.speed.value
            if row.answer.more_blocks:
                word += f" ({row.answer.more_blocks} more blocks would tell)"
        span = f"{row.low_us:.4g}-{row.high_us:.4g}"
        rates = (f"{row.bytes_s / GIGA:.4g}", f"{row.operations_s / GIGA:.4g}")
        table.add_row(row.shape, row.mode, row.arm, row.family, f"{row.time_us:.4g}", span, *rates, change, word)
    return table


def slot_words(report: Report) -> Iterator[str]:
    """Timed processes that gave no number."""
    for slot in report.slots:
        if slot.reason:
            yield f"block {slot.block + 1}, {slot.role} {slot.arm}: {slot.reason}: {slot.detail}"


def machine_words(report: Report) -> Iterator[str]:
    """Where it was measured, and what that machine reached at most."""
    facts = {**report.facts_before, **report.device}
    cards = [f"{name} {value}" for name, value in facts.items() if name.startswith("card.") or name in report.device]
    yield "; ".join([f"{name} {facts[name]}" for name in MACHINE if name in facts] + cards)
    of = report.ceilings
    if of:
        slowed = [facts.get(THROTTLING, "0") for facts in (report.facts_before, report.facts_after)]
        if any(int(value, 16) & SLOWED for value in slowed):
            yield f"the card was slowed down by heat or power ({' then '.join(slowed)}): these are times of a slow card"
        reached = ", ".join(f"{name} {of[f'{key}_s'] / GIGA:.4g} G{unit}/s" for name, key, unit in CEILINGS)
        yield f"ceilings of this run: {reached}; seed {report.seed}, {report.seconds:.0f} s"
