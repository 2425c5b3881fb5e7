"""A list with the wrong separator means a sweep, and every arm runs on one card (lesson A8).

Only llama-bench tells the two apart: the server takes commas and slashes alike (`common/arg.cpp`, --tensor-split).
"""

from harness.rules.rule import BENCH, Finding, Rule, Setup, fault

SPLIT = ("tensor-split", "ts")


def _look(setup: Setup) -> tuple[Finding, ...]:
    for flag in SPLIT:
        value = setup.said(flag)
        if "," in value and "/" not in value:
            count = value.count(",") + 1
            return fault(
                f"{flag} = {value!r}: llama-bench reads commas as a sweep of {count} settings, each of one number, so "
                f"everything runs on one card; write {value.replace(',', '/')!r}"
            )
    return ()


RULE = Rule("lists are written with the separator of the program that reads them", frozenset({BENCH}), _look)
