"""The one exception of the worker: an arm that cannot go on, with its reason."""

from harness.kernels.bench.reasons import Reason


class Trouble(Exception):
    """Raised where an arm cannot be loaded or called; ends its worker with a reason."""

    def __init__(self, reason: Reason, detail: str) -> None:
        """Keep both."""
        super().__init__(detail)
        self.reason, self.detail = reason, detail
