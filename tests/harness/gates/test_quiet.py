"""What else a machine did, in figures that are known: shares of others, throttling, heat, strangers on cards."""

from typing import Any

import pytest

from harness.gates.quiet import check_quiet, other_cpu_pct
from harness.hosts.looking import Card, MachineReading
from harness.vocabulary.outcome import DISTURBED, Reason
from harness.vocabulary.target import Quiet


def card(**changes: Any) -> Card:
    value: dict[str, Any] = {
        "index": 0,
        "used_mib": 14000,
        "free_mib": 18000,
        "sm_mhz": 1380,
        "max_sm_mhz": 1530,
        "temperature_c": 61,
        "throttling": (),
        "pids": (7,),
    }
    return Card(**(value | changes))


def reading(at: float, busy_s: float, own_s: float, *cards: Card, throttled: int | None = 5) -> MachineReading:
    return MachineReading(at, 4, busy_s, 0.0, own_s, 1.5, 2800.0, 3500.0, throttled, cards)


START = reading(100.0, 50.0, 10.0)


@pytest.mark.parametrize(
    ("after", "share_pct"),
    [
        (reading(110.0, 60.0, 20.0), 0.0),
        (reading(110.0, 70.0, 20.0), 25.0),  # 20 busy, 10 of it ours, of 40 core seconds
        (reading(110.0, 55.0, 8.0), 12.5),  # a process of ours ended: its time is not counted twice against others
        (reading(110.0, 55.0, 20.0), 0.0),
    ],
)
def test_the_share_of_others_is_what_is_busy_and_not_ours(after: MachineReading, share_pct: float) -> None:
    assert other_cpu_pct(START, after) == pytest.approx(share_pct)


def test_no_time_is_no_share() -> None:
    assert other_cpu_pct(START, START) is None
    assert check_quiet(Quiet(), START, START, frozenset()).passed
    limited = check_quiet(Quiet(max_other_cpu_pct=0), START, START, frozenset())
    assert (limited.passed, limited.reason) == (False, Reason.QUIET_UNREAD)
    assert limited.evidence.startswith("the share of others of the cores is limited and unknown: no time passed")


@pytest.mark.parametrize(
    ("quiet", "lacking", "words"),
    [
        (Quiet(max_card_temperature_c=87), {"temperature_c": None}, "the temperature of cards is limited, and card 0 "),
        (Quiet(no_throttling=True), {"throttling": None}, "the throttling of cards is limited, and card 0 does not"),
        (Quiet(no_strangers_on_cards=True), {"pids": None}, "the processes of cards is limited, and card 0 does not"),
    ],
)
def test_what_cannot_be_read_does_not_pass_a_limit(quiet: Quiet, lacking: dict[str, Any], words: str) -> None:
    silent = reading(110.0, 60.0, 20.0, card(**lacking))
    outcome = check_quiet(quiet, START, silent, frozenset({7}))
    assert (outcome.passed, outcome.reason) == (False, Reason.QUIET_UNREAD)
    assert outcome.evidence.startswith(words)
    nothing = check_quiet(
        quiet, reading(100, 50, 10, throttled=None), reading(110, 60, 20, throttled=None), frozenset()
    )
    assert nothing.reason is Reason.QUIET_UNREAD and "no card was found" in nothing.evidence
    assert check_quiet(Quiet(), START, silent, frozenset({7})).passed  # what is not limited need not be told
    during = (reading(105.0, 55.0, 15.0, card()),)
    assert check_quiet(quiet, START, silent, frozenset({7}), during).passed  # it told during the load
    broken = reading(
        110.0, 60.0, 20.0, card(temperature_c=88, throttling=("power cap",), pids=(7, 9)), card(index=1, **lacking)
    )
    assert check_quiet(quiet, START, broken, frozenset({7})).reason in DISTURBED - {
        Reason.QUIET_UNREAD
    }  # what is known counts first


def test_cores_that_tell_are_enough_where_there_are_no_cards() -> None:
    assert check_quiet(Quiet(no_throttling=True), START, reading(110.0, 60.0, 20.0), frozenset()).passed


def test_everything_is_told_and_nothing_is_asked_unless_the_target_does() -> None:
    hot = reading(110.0, 90.0, 10.0, card(throttling=("power cap",), temperature_c=88, pids=(7, 9)), throttled=6)
    outcome = check_quiet(Quiet(), START, hot, frozenset({7}))
    assert outcome.passed and outcome.reason is None
    assert outcome.evidence == (
        "others used 100.0 % of 4 cores, load 1.5, cores at 2800 of 3500 MHz, card 0 at 1380 of 1530 MHz, 88 C, 14000 "
        "MiB used, throttled: cores 1 times; card 0: power cap"
    )


@pytest.mark.parametrize(
    ("quiet", "reason", "words"),
    [
        (Quiet(max_other_cpu_pct=99), Reason.NOT_QUIET, "others used 100.0 % of the cores, at most 99 % allowed"),
        (Quiet(max_card_temperature_c=87), Reason.TOO_HOT, "a card is at 88 C, at most 87 C allowed"),
        (Quiet(no_throttling=True), Reason.THROTTLED, "throttled: cores 1 times; card 0: power cap"),
        (Quiet(no_strangers_on_cards=True), Reason.CARD_STRANGER, "other processes are on the cards: pids [9]"),
    ],
)
def test_each_limit_of_the_target_voids_what_exceeds_it(quiet: Quiet, reason: Reason, words: str) -> None:
    hot = reading(110.0, 90.0, 10.0, card(throttling=("power cap",), temperature_c=88, pids=(7, 9)), throttled=6)
    outcome = check_quiet(quiet, START, hot, frozenset({7}))
    assert (outcome.passed, outcome.reason) == (False, reason)
    assert outcome.evidence.startswith(words)
    calm = reading(110.0, 60.0, 20.0, card())
    assert check_quiet(quiet, START, calm, frozenset({7})).passed


def test_cards_that_name_processes_of_another_namespace_say_nothing_about_strangers() -> None:
    seen = reading(110.0, 60.0, 20.0, card(pids=(4001,)))
    assert check_quiet(Quiet(no_strangers_on_cards=True), START, seen, frozenset({7})).passed


def test_of_cards_the_worst_reading_during_the_load_counts() -> None:
    during = (
        reading(103.0, 51.0, 11.0, card(sm_mhz=900, temperature_c=91, throttling=("power cap",), pids=(7, 9))),
        reading(106.0, 52.0, 12.0, card(sm_mhz=1200, used_mib=20000)),
    )
    after = reading(110.0, 60.0, 20.0, card(sm_mhz=135, temperature_c=60))  # its clock has fallen since
    limits = Quiet(max_card_temperature_c=90, no_throttling=True, no_strangers_on_cards=True)
    outcome = check_quiet(limits, START, after, frozenset({7}), during)
    assert outcome.reason is Reason.TOO_HOT
    assert outcome.evidence.startswith("a card is at 91 C") and "pids [9]" in outcome.evidence
    assert "card 0 at 900 of 1530 MHz, 91 C, 20000 MiB used, throttled: card 0: power cap" in outcome.evidence


def test_a_card_that_the_last_reading_lacks_is_not_forgotten() -> None:
    during = (reading(103.0, 51.0, 11.0, card(temperature_c=95, throttling=("thermal",), pids=(7, 99))),)
    limits = Quiet(max_card_temperature_c=90, no_throttling=True, no_strangers_on_cards=True)
    outcome = check_quiet(limits, START, reading(110.0, 60.0, 20.0), frozenset({7}), during)
    assert outcome.reason is Reason.TOO_HOT
    assert "a card is at 95 C" in outcome.evidence and "pids [99]" in outcome.evidence and "thermal" in outcome.evidence
