"""From an order to what came back: opens what the reviewer's kind needs for the length of one call."""

from collections.abc import Awaitable, Callable
from pathlib import Path

from committee.review.command_call import call_command
from committee.review.embedded import EngineNotStartedError, embedded_model
from committee.review.lines import Lines, lines
from committee.review.openai_call import call_openai
from committee.review.order import Edge, Order
from committee.review.received import Received
from committee.review.recorded import read_recording, serving_recordings
from committee.vocabulary.config import ReviewerKind
from committee.vocabulary.exclusion import Reason
from harness.vocabulary.base import BadFileError

Caller = Callable[[Order, Edge, Lines], Awaitable[Received]]


async def call(order: Order, edge: Edge, shared: Lines) -> Received:
    """Ask one reviewer once. Every expected failure is in the value; a bug is raised."""
    return await _CALLERS[order.reviewer.kind](order, edge, shared)


async def _openai(order: Order, edge: Edge, shared: Lines) -> Received:
    return await call_openai(order, order.reviewer.base_url, edge, shared)


async def _command(order: Order, edge: Edge, _shared: Lines) -> Received:
    return await call_command(order, edge)


async def _recorded(order: Order, edge: Edge, _shared: Lines) -> Received:
    path = Path(order.reviewer.recording)
    try:
        recording = read_recording(path)
    except BadFileError as error:
        return Received("openai", b"", Reason.COULD_NOT_START, str(error), sent=0)
    async with serving_recordings({path.stem: recording}) as base_url, lines(1) as own:
        return await call_openai(order, base_url, edge, own)


async def _embedded(order: Order, edge: Edge, _shared: Lines) -> Received:
    try:
        async with embedded_model(edge.engine) as base_url, lines(1) as own:
            return await call_openai(order, base_url, edge, own)
    except EngineNotStartedError as error:
        return Received("openai", b"", Reason.COULD_NOT_START, str(error), sent=0)


_CALLERS: dict[ReviewerKind, Caller] = {
    "openai": _openai,
    "command": _command,
    "recorded": _recorded,
    "embedded": _embedded,
}
