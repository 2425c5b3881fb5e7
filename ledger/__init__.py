"""The archive: append-only entries, their projections, verification and queries. It decides nothing."""
