"""Quiet: what else the machine did during a load, and how fast it ran. Recorded always; the target may set limits.

Pure: two readings in, one outcome out. The thresholds are the target's `[quiet]`; what one of them
is about and cannot be read does not pass it.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from harness.gates.base import GateOutcome, failed, held
from harness.hosts.looking import Card, MachineReading
from harness.vocabulary.outcome import GateName, Reason
from harness.vocabulary.target import Quiet

T = TypeVar("T", str, int)


def other_cpu_pct(before: MachineReading, after: MachineReading) -> float | None:
    """Processor time of everybody else between two readings, percent of all cores; none where no time passed.

    (busy - own) / (cores x seconds). What a hypervisor took counts as others': the cores were not there for us.
    """
    span_s = (after.at - before.at) * after.cores
    if span_s <= 0:
        return None
    own_s = max(0.0, after.own_s - before.own_s)
    return min(100.0, max(0.0, 100 * (after.busy_s - before.busy_s - own_s) / span_s))  # the kernel counts in ticks


def check_quiet(
    quiet: Quiet,
    before: MachineReading,
    after: MachineReading,
    own_pids: frozenset[int],
    during: Sequence[MachineReading] = (),
) -> GateOutcome:
    """The gate over one load; `own_pids` are the server's processes, for cards that others use as well.

    Of cards the worst of all readings counts: a clock recovers, and a throttle ends, soon after the load.
    """
    other = other_cpu_pct(before, after)
    last = {card.index: card for reading in (*during, after) for card in reading.cards}  # the newest look at each
    after = replace(after, cards=tuple(_worst(card, during) for _, card in sorted(last.items())))
    throttled, on_cards = _throttled(before, after), {pid for card in after.cards for pid in card.pids or ()}
    strangers = sorted(on_cards - own_pids)
    hottest = max((card.temperature_c for card in after.cards if card.temperature_c is not None), default=None)
    complaints: list[tuple[Reason, str]] = []
    if quiet.max_other_cpu_pct is not None and other is not None and other > quiet.max_other_cpu_pct:
        said = f"others used {other:.1f} % of the cores, at most {quiet.max_other_cpu_pct:g} % allowed"
        complaints.append((Reason.NOT_QUIET, said))
    limit_c = quiet.max_card_temperature_c
    if limit_c is not None and hottest is not None and hottest > limit_c:
        complaints.append((Reason.TOO_HOT, f"a card is at {hottest} C, at most {limit_c:g} C allowed"))
    if quiet.no_throttling and throttled:
        complaints.append((Reason.THROTTLED, f"throttled: {'; '.join(throttled)}"))
    if quiet.no_strangers_on_cards and strangers and own_pids & on_cards:
        complaints.append((Reason.CARD_STRANGER, f"other processes are on the cards: pids {strangers}"))
    unread = unread_limits(quiet, before, after)
    if quiet.max_other_cpu_pct is not None and other is None:
        unread += ("the share of others of the cores is limited and unknown: no time passed between two readings",)
    said = "; ".join((*(words for _, words in complaints), *unread, _told(other, after, throttled)))
    if complaints:
        return failed(GateName.QUIET, complaints[0][0], said)
    return failed(GateName.QUIET, Reason.QUIET_UNREAD, said) if unread else held(GateName.QUIET, said)


def unread_limits(quiet: Quiet, before: MachineReading, after: MachineReading) -> tuple[str, ...]:
    """One sentence for each limit of the target about something that cards or cores do not tell."""
    said: list[str] = []
    cores_told = before.throttled is not None and after.throttled is not None
    limits = (
        ("temperature", quiet.max_card_temperature_c is not None, [card.temperature_c for card in after.cards]),
        # where there are cards they are what throttles; cores are enough only where there are none
        (
            "throttling",
            quiet.no_throttling and bool(after.cards or not cores_told),
            [c.throttling for c in after.cards],
        ),
        ("processes", quiet.no_strangers_on_cards, [card.pids for card in after.cards]),
    )
    for what, limited, told in limits:
        silent = [str(card.index) for card, one in zip(after.cards, told, strict=True) if one is None]
        if limited and not after.cards:
            said.append(f"the {what} of cards is limited, and no card was found (nvidia-ml-py looks, if installed)")
        elif limited and silent:
            said.append(f"the {what} of cards is limited, and card {', '.join(silent)} does not tell it")
    return tuple(said)


def _worst(card: Card, during: Sequence[MachineReading]) -> Card:
    """The card at its slowest, hottest and fullest, with every reason and every process that was seen."""
    seen = [card, *(other for reading in during for other in reading.cards if other.index == card.index)]
    return replace(
        card,
        sm_mhz=min((one.sm_mhz for one in seen[1:] or seen if one.sm_mhz is not None), default=None),
        temperature_c=max((one.temperature_c for one in seen if one.temperature_c is not None), default=None),
        used_mib=max((one.used_mib for one in seen if one.used_mib is not None), default=None),
        throttling=_united([one.throttling for one in seen]),
        pids=_united([one.pids for one in seen]),
    )


def _united(told: Sequence[tuple[T, ...] | None]) -> tuple[T, ...] | None:
    """Everything that any reading told, once; none where none told anything."""
    known = [one for one in told if one is not None]
    return tuple(dict.fromkeys(item for one in known for item in one)) if known else None


def _throttled(before: MachineReading, after: MachineReading) -> tuple[str, ...]:
    """What slowed cores or cards down, in words."""
    said = [f"card {card.index}: {', '.join(card.throttling)}" for card in after.cards if card.throttling]
    if before.throttled is not None and after.throttled is not None and after.throttled > before.throttled:
        said.insert(0, f"cores {after.throttled - before.throttled} times")
    return tuple(said)


def _told(other: float | None, after: MachineReading, throttled: Sequence[str]) -> str:
    """Everything that was seen, in one line."""
    share = "an unknown share" if other is None else f"{other:.1f} %"
    words = [f"others used {share} of {after.cores} cores", f"load {after.load_1m:g}"]
    if after.mhz is not None:
        top = f" of {after.max_mhz:.0f}" if after.max_mhz else ""
        words.append(f"cores at {after.mhz:.0f}{top} MHz")
    words += [_card(card) for card in after.cards]
    return ", ".join(words) + (f", throttled: {'; '.join(throttled)}" if throttled else "")


def _card(card: Card) -> str:
    return (
        f"card {card.index} at {card.sm_mhz} of {card.max_sm_mhz} MHz, {card.temperature_c} C, {card.used_mib} MiB used"
    )
