"""Two lists of llama-bench: which combinations are measured depends on the build (lesson A8).

A campaign's build paired keys and values by position and measured the values alone; a build of 2026 that was run for
this project measured every combination of both lists. So the rows have to be counted, and neither is assumed.
"""

from harness.rules.rule import BENCH, Finding, Rule, Setup, caution

PAIRS = (("cache-type-k", "cache-type-v"), ("ctk", "ctv"))


def _look(setup: Setup) -> tuple[Finding, ...]:
    for key, value in PAIRS:
        keys, values = len(setup.said(key).split(",")), len(setup.said(value).split(","))
        if not setup.has(key) and not setup.has(value):
            continue
        if keys > 1 and values > 1:
            return caution(
                f"{key} lists {keys} types and {value} {values}: some builds pair them by position, others measure all "
                f"{keys * values} combinations; count the rows, and name one combination a run where it matters"
            )
        if max(keys, values) > 1:
            swept, still = (key, value) if keys > 1 else (value, key)
            what = f"stays {setup.said(still)!r}" if setup.has(still) else "stays at its default"
            return caution(f"{swept} is a list and {still} {what}: only {swept} is measured")
    return ()


RULE = Rule("lists that may be paired by position say which combinations are meant", frozenset({BENCH}), _look)
