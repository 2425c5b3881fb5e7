"""What one engine's log lines and metrics look like: the interface, and where each style lives. Pure text only."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from harness.simulator.engine_flags import Engine


@dataclass
class Counted:
    """What the simulated engine has counted since it started."""

    prompt_tokens: int = 0
    generated_tokens: int = 0
    cache_queries: int = 0
    cache_hits: int = 0
    finished: int = 0
    stopped: int = 0  # of those, ended by themselves
    aborted: int = 0
    ttft_sum_s: float = 0.0
    prompt_s: float = 0.0
    decode_s: float = 0.0
    running: int = 0
    waiting: int = 0
    kv_share: float = 0.0
    decode_calls: int = 0
    drafts: int = 0
    drafted: int = 0
    accepted: int = 0


class Style(Protocol):
    """Lines are without their line end; each function gives whole lines in order."""

    def loading(self, engine: Engine, asked: dict[str, str]) -> Sequence[str]:
        """The parent's lines before its workers load."""

    def worker(self, engine: Engine, rank: int, pid: int, markers: Sequence[str]) -> Sequence[str]:
        """One worker's lines while it loads; `markers` are the kernels it has attached."""

    def loaded(self, engine: Engine, armed: dict[str, int]) -> Sequence[str]:
        """The parent's lines when all workers have loaded; `armed` is kernel -> number of workers."""

    def ready(self, engine: Engine, url: str, pid: int) -> Sequence[str]:
        """The last lines of a start; the last one means ready."""

    def access(self, peer: str, method: str, path: str, status: int) -> str:
        """One answered request."""

    def statistics(self, prompt_tok_s: float, tok_s: float, counted: Counted) -> str:
        """The engine's regular line about its load; empty where it has none."""

    def worker_died(self, rank: int) -> Sequence[str]:
        """A worker is gone."""

    def timed_out(self, timeout_s: float) -> Sequence[str]:
        """A step took longer than the engine waits (S5)."""

    def metrics(self, engine: Engine, counted: Counted) -> str:
        """The text of `/metrics`."""
