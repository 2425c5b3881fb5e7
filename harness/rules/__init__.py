"""Rules that can be computed before any start, one file a rule. A new rule is a new file that holds `RULE`."""
