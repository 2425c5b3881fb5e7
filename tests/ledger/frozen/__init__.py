"""Ledgers as earlier releases wrote them, never changed, and the way to freeze today's: `python -m tests.ledger.frozen`."""
