"""Ledgers as earlier releases wrote them, never changed; `python -m tests.ledger.frozen` freezes today's."""
