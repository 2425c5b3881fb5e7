"""A list with the wrong separator means a sweep, and every arm runs on one card (lesson A8)."""

from harness.rules.rule import BENCH, LLAMACPP, Finding, Rule, Setup, fault

SPLIT = ("tensor-split", "ts")


def _look(setup: Setup) -> tuple[Finding, ...]:
    for flag in SPLIT:
        value = setup.said(flag)
        if setup.engine == BENCH and "," in value:
            count = value.count(",") + 1
            return fault(
                f"{flag} = {value!r}: llama-bench reads commas as a sweep of {count} settings, each of one number, so "
                f"everything runs on one card; write {value.replace(',', '/')!r}"
            )
        if setup.engine == LLAMACPP and "/" in value and "," not in value:
            return fault(f"{flag} = {value!r}: the server's separator is a comma; write {value.replace('/', ',')!r}")
    return ()


RULE = Rule("lists are written with the separator of the program that reads them", frozenset({BENCH, LLAMACPP}), _look)
