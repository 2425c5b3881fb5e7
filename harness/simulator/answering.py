"""One answer while it is generated: tokens in, bytes out, with the faults that spoil an answer. No input or output.

What the engine computes and what the client is told are two things here, as they are in a broken server.
"""

import itertools
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from harness.simulator.asked import Asked
from harness.simulator.faults import Fault, Faults
from harness.simulator.scheduler import Emission
from harness.simulator.tools import Wish
from harness.simulator.wording import DONE, Piece, Usage, Wording
from harness.simulator.words import generated

ERROR_AT = 10  # tokens before a stream breaks
EXTRA_TOKENS = 40  # how much the fault usage-too-high adds
MOJIBAKE = " \ufffd\u2592\u2593\u00a4\u00b6\u2260"


@dataclass
class Stamps:
    """What the server itself knows of a request's times, seconds of the monotonic clock."""

    answer_id: str
    received: float
    prompt_tokens: int
    cached_tokens: int
    first_write: float = 0.0
    last_write: float = 0.0
    tokens: int = 0
    events: int = 0


@dataclass
class Answer:
    """Feeds `write` with a stream's events, or gathers a whole answer. `finished` tells the connection to end."""

    asked: Asked
    wording: Wording
    faults: Faults
    stamps: Stamps
    wish: Wish | None
    texts: Iterator[str]
    write: Callable[[bytes], None]
    finished: Callable[[], None]
    broken: bool = False  # the connection is to be cut
    pieces: list[Piece] = field(default_factory=list)
    _held: list[str] = field(default_factory=list)
    _sent: int = 0  # tokens that went to the client
    _over: bool = False

    def begin(self) -> None:
        """Before the prompt is read: what some servers send at once."""
        if not self.asked.stream:
            return
        if Fault.ROLE_ONLY_FIRST in self.faults:
            self.write(self.wording.role())

    def tell(self, said: Emission) -> None:
        """Tokens are ready."""
        if self._over:
            return
        self._take(said.tokens)
        if said.done and not self._over:
            self._end()

    def usage(self) -> Usage | None:
        """The server's count, right or wrong."""
        if Fault.NO_USAGE in self.faults:
            return None
        tokens, prompt = self._sent, self.asked.prompt_tokens
        if self.faults.any(Fault.TWO_TOKENS_COUNTED_FULL, Fault.USAGE_ONLY):
            tokens = self.asked.tokens
        if Fault.USAGE_TOO_HIGH in self.faults:
            tokens += EXTRA_TOKENS
        if Fault.USAGE_TOO_LOW in self.faults:
            tokens //= 2
        if Fault.PROMPT_COUNT_WRONG in self.faults:
            prompt //= 2
        return Usage(prompt, tokens, self.stamps.cached_tokens)

    def reason(self) -> str | None:
        """The finish reason, right or wrong."""
        if Fault.NO_FINISH_REASON in self.faults:
            return None
        if self.wish is not None and self.wish.comes_out:
            return "tool_calls"
        if self.faults.any(Fault.TWO_TOKENS, Fault.COLLAPSED_TEXT):
            return "stop"
        return "stop" if self.asked.ends else "length"

    def _take(self, tokens: int) -> None:
        """One event a step of the engine, or one for several steps where a fault says so."""
        several = self.faults.number(Fault.SEVERAL_PER_EVENT, 4) if Fault.SEVERAL_PER_EVENT in self.faults else 1
        for _ in range(tokens):
            self._sent += 1
            self._held.append(next(self.texts))
            if self._sent == ERROR_AT and self._breaks():
                return
        if len(self._held) >= several:
            self._flush()

    def _flush(self) -> None:
        first, text, self._held = not self.pieces, "".join(self._held), []
        piece = Piece(text, thought=self._is_thought())
        self.pieces.append(piece)
        if self.wish is not None and self.wish.comes_out:
            return  # the call is one event, at the end
        if not self.asked.stream or Fault.USAGE_ONLY in self.faults:
            return
        role = b"" if not first or Fault.ROLE_ONLY_FIRST in self.faults else self.wording.role()
        self._event(role + self.wording.piece(piece))

    def _is_thought(self) -> bool:
        """The first half is thought where the server has a name for it; all of it where a tool call got lost (M13)."""
        if self.wish is not None and not self.wish.comes_out:
            return True
        return self.wording.reasoning != "none" and self._sent <= self.asked.tokens // 2

    def _event(self, data: bytes) -> None:
        if Fault.KEEPALIVE_COMMENTS in self.faults:
            data = b": keep-alive\n\n" + data
        now = time.monotonic()
        self.stamps.first_write = self.stamps.first_write or now
        self.stamps.last_write, self.stamps.tokens = now, self._sent
        self.stamps.events += 1
        if Fault.SPLIT_EVENTS in self.faults:
            middle = len(data) * 2 // 3
            self.write(data[:middle])
            data = data[middle:]
        self.write(data)

    def _breaks(self) -> bool:
        """Whether the stream ends here, badly."""
        if Fault.NOT_JSON in self.faults:
            self.write(b"data: {'choices': [not json\n\n")
            return False
        if not self.faults.any(Fault.ERROR_AFTER_TOKENS, Fault.EARLY_END, Fault.CONNECTION_RESET):
            return False
        self._flush()
        if Fault.ERROR_AFTER_TOKENS in self.faults:
            self.write(self.wording.error("EngineCore encountered an issue: out of blocks"))
        self.broken = Fault.CONNECTION_RESET in self.faults
        self._over = True
        self.finished()
        return True

    def _end(self) -> None:
        if self._held:
            self._flush()
        self._over = True
        if self.asked.stream:
            if self.wish is not None and self.wish.comes_out:
                self._event(self.wording.role() + self.wording.tool_call(self.wish.call))
            self.write(self.wording.finish(self.reason()))
            self.write(self.wording.usage(self.usage() if self.asked.with_usage else None, self.reason()))
            self.write(DONE)
        self.finished()


def with_wish(asked: Asked, wish: Wish | None) -> Asked:
    """The request as long as its call, or as what is said instead of it, if it allows so many tokens."""
    needed = len(said_instead(wish)) if wish is not None else asked.tokens
    return asked if wish is None or needed > asked.tokens else replace(asked, tokens=needed, ends=True)


def said_instead(wish: Wish) -> list[str]:
    """What the model thinks where its call does not come out; also how many tokens a call costs."""
    return [f" {word}" for word in f"I should call {wish.call.name} with {wish.call.arguments} now".split()]


def texts_of(asked: Asked, faults: Faults, wish: Wish | None, launch: str, number: str) -> Iterator[str]:
    """The tokens of an answer as text, spoiled as the faults say; `launch` differs from start to start.

    `number` differs from request to request.
    """
    if wish is not None:
        return itertools.chain(said_instead(wish), itertools.repeat(""))
    if Fault.EMPTY_CONTENT in faults:
        return itertools.repeat("")
    if Fault.ONE_WORD in faults:
        return itertools.repeat(" the")
    if Fault.REPEATED_OUTPUT in faults:
        return itertools.cycle(["<", "h2", ">"])
    if Fault.MOJIBAKE in faults:
        return itertools.repeat(MOJIBAKE)
    if Fault.COLLAPSED_TEXT in faults:
        return itertools.repeat("**")
    variant = launch if Fault.NONDETERMINISTIC in faults else number if Fault.TEXT_VARIES in faults else ""
    return generated(asked.prompt, variant or ("changed" if Fault.CHANGED_NUMERICS in faults else ""))


def wanted_tokens(asked: Asked, faults: Faults) -> int:
    """How many tokens the engine really generates for this request."""
    if faults.any(Fault.TWO_TOKENS, Fault.TWO_TOKENS_COUNTED_FULL):
        return min(2, asked.tokens)
    return 1 if Fault.COLLAPSED_TEXT in faults else asked.tokens
