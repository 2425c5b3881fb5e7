"""All rules of this folder, found by their files."""

from importlib import import_module
from pkgutil import iter_modules

import harness.rules
from harness.rules.rule import Finding, Rule, Setup

NOT_RULES = frozenset({"rule", "every", "model_header"})


def every_rule() -> dict[str, Rule]:
    """Rules by name, in order. Raises TypeError for a file without `RULE`."""
    found: dict[str, Rule] = {}
    for module in sorted(one.name for one in iter_modules(harness.rules.__path__)):
        if module not in NOT_RULES:
            rule = getattr(import_module(f"harness.rules.{module}"), "RULE", None)
            if not isinstance(rule, Rule):
                raise TypeError(f"harness/rules/{module}.py holds no RULE")
            found[module.replace("_", "-")] = rule
    return found


def look(setup: Setup) -> tuple[tuple[str, Finding], ...]:
    """What every rule for this engine finds, faults first, with the rule's name."""
    found = [
        (name, finding)
        for name, rule in every_rule().items()
        if setup.engine in rule.engines
        for finding in rule.look(setup)
    ]
    return tuple(sorted(found, key=lambda pair: (pair[1].level != "fault", pair[0])))
