"""What is known about one request after it ended. A record that is not ok carries no number that may be used."""

from dataclasses import asdict, dataclass, field
from typing import Any

from harness.vocabulary.outcome import Reason


@dataclass(frozen=True)
class ToolCall:
    """One call of a tool as the answer named it, its streamed pieces joined."""

    name: str
    arguments: str  # JSON as the model wrote it, perhaps none


@dataclass(frozen=True)
class RequestRecord:
    """Times are seconds of one monotonic clock (`time.perf_counter`); tokens are the server's own count."""

    t_send: float  # just before the request's bytes are handed to the socket
    t_end: float  # when the request ended, well or not
    reason: Reason | None = None  # none when the answer is complete
    detail: str = ""  # one sentence when it is not
    text: str = ""  # reasoning and content in order of arrival
    stamps: tuple[float, ...] = field(default=())  # arrival of each event that carried text
    prompt_tokens: int = 0
    cached_tokens: int = 0  # prompt tokens that the server took from a cache
    tokens: int = 0  # generated tokens
    finish_reason: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    dispatch_delay_ms: float = 0.0  # from the time at which it was meant to be sent to `t_send`
    connect_ms: float = 0.0  # the part of that delay that opening the connection took, TLS included
    prompt: str = field(default="", repr=False)  # to be counted again; empty where more than this text was sent

    @property
    def ok(self) -> bool:
        """Whether the answer came whole."""
        return self.reason is None

    def as_json(self) -> dict[str, Any]:
        """Plain values, one line of the record that is kept; prompts are made anew from the plan's seed."""
        return {name: value for name, value in asdict(self).items() if name != "prompt"}

    @property
    def t_first(self) -> float:
        """Arrival of the first text. Raises IndexError when there was none."""
        return self.stamps[0]

    @property
    def t_last(self) -> float:
        """Arrival of the last text. Raises IndexError when there was none."""
        return self.stamps[-1]

    @property
    def ttft_ms(self) -> float:
        """Time to first token, milliseconds."""
        return (self.t_first - self.t_send) * 1000

    @property
    def user_tok_s(self) -> float | None:
        """Tokens after the first event's share, over the time they took; none where all came in one event."""
        span_s = self.t_last - self.t_first
        return (self.tokens - self.weight) / span_s if span_s > 0 else None

    @property
    def weight(self) -> float:
        """Tokens that one text-bearing event stands for; above 1 where the server sends several at once."""
        return self.tokens / len(self.stamps)
