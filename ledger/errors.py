"""The one expected failure of the archive. Its message is a clear sentence: what, where and what to do."""


class LedgerError(Exception):
    """The ledger cannot do what was asked; nothing was half done."""
