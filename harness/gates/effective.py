"""Requested against effective: where the engine's own report of a setting is not what was asked (lesson A5). Pure."""

from dataclasses import dataclass

from harness.adapters.base import Adapter, EngineReport, merged_flags
from harness.vocabulary.arm import Arm, normal
from harness.vocabulary.outcome import Reason
from harness.vocabulary.target import Target


@dataclass(frozen=True)
class Difference:
    """One flag whose value in force, or as the engine read it, is not the one asked for."""

    flag: str
    asked: str
    effective: str
    reason: Reason
    sentence: str


def differences_of(target: Target, arm: Arm | None, adapter: Adapter, report: EngineReport) -> tuple[Difference, ...]:
    """Every flag that differs, as the engine itself says; `arm` is none for baseline and placebo."""
    before = {normal(name): value for name, value in target.baseline.flags.items()}
    changed = {normal(name) for name in arm.flags} if arm else set()
    found: list[Difference] = []
    for flag, value in merged_flags(target, arm).items():
        asked = adapter.comparable(flag, value)
        if asked is None:
            continue
        read, effective = report.parsed.get(flag), report.effective.get(flag)
        if read is not None and read != asked:
            said = f"asked {flag}={asked}, the engine read {read}"
            found.append(Difference(flag, asked, read, Reason.NOT_PASSED, said))
        elif effective is not None and effective != asked:
            old = adapter.comparable(flag, before[flag]) if flag in before and flag in changed else None
            found.append(_difference(flag, asked, effective, old, baseline=arm is None))
    return (*found, *(_variables(arm, report) if arm else ()))


def _variables(arm: Arm, report: EngineReport) -> tuple[Difference, ...]:
    """Variables that the engine says to have another value in force: it derived its own (lesson A5).

    Only those of the arm: one that does nothing may stand in production, where its own witnesses are the proof.
    """
    return tuple(
        Difference(
            name,
            value,
            report.effective[name],
            Reason.VARIABLE_IGNORED,
            f"asked {name}={value}, the engine says {report.effective[name]}: it derives its own",
        )
        for name, value in arm.env.items()
        if name in report.effective and report.effective[name] != value
    )


def _difference(flag: str, asked: str, effective: str, old: str | None, *, baseline: bool) -> Difference:
    said = f"asked {flag}={asked}, the engine says {effective}"
    if effective == old:
        return Difference(flag, asked, effective, Reason.REQUEST_IGNORED, f"{said}, as in the baseline: it was ignored")
    if _number(asked) and _number(effective):
        return Difference(flag, asked, effective, Reason.CLAMPED, f"{said}: it was changed on the way")
    return Difference(flag, asked, effective, Reason.BASELINE_UNARMED if baseline else Reason.NOT_ARMED, said)


def _number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
