"""Lists that llama-bench pairs by position must not be taken for independent settings (lesson A8)."""

from harness.rules.rule import BENCH, Finding, Rule, Setup, fault

PAIRS = (("cache-type-k", "cache-type-v"), ("ctk", "ctv"))


def _look(setup: Setup) -> tuple[Finding, ...]:
    for key, value in PAIRS:
        keys, values = setup.said(key).split(","), setup.said(value).split(",")
        if setup.has(key) and setup.has(value) and len(keys) != len(values) and min(len(keys), len(values)) > 1:
            return fault(
                f"{key} lists {len(keys)} types and {value} {len(values)}: they are paired by position, so part of "
                "what is listed is never measured; list both to the same length"
            )
        if (len(keys) > 1) != (len(values) > 1) and max(len(keys), len(values)) > 1:
            swept, still = (key, value) if len(keys) > 1 else (value, key)
            return fault(
                f"{swept} is a list and {still} is not: only {swept} is measured; give {still} a list of its own"
            )
    return ()


RULE = Rule("lists that are paired by position have one length", frozenset({BENCH}), _look)
