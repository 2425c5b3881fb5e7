"""The expected failures of the archive. A message is a clear sentence: what, where and what to do."""


class LedgerError(Exception):
    """The ledger cannot do what was asked; nothing was half done."""


class NoSuchError(LedgerError):
    """What was asked for was named wrongly: there is no such thing, or several, or no name at all."""


class DamagedError(LedgerError):
    """The database itself cannot read what it holds."""
