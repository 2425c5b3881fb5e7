"""`transformers serve`: an API that refuses fields it does not know, and publishes neither settings nor counters.

It cannot be told to go on after an end-of-generation token, so an answer may be shorter than asked for; such a launch
carries no rate. Effective settings rest on witnesses in its log.
"""

from harness.adapters.command import Command
from harness.vocabulary.base import Scalar


class Transformers(Command):
    """Like any other command, asked for at most so many tokens."""

    name = "transformers"

    def sampling(self, tokens: int) -> tuple[tuple[str, Scalar], ...]:
        return (("max_tokens", tokens),)
