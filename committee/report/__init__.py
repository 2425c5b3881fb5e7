"""The report: one self-contained page, and one table for the terminal, made from the ledger and from nothing else."""
