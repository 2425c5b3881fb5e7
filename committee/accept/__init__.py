"""Acceptance: a person's decision, possible only where the criteria written beforehand are met by measurements."""
