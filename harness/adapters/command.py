"""Any command that serves an OpenAI-compatible API: only its log and its list of models are read.

`{port}` and `{alias}` in the command and in values of flags are replaced; nothing else is added to the command.
"""

from harness.adapters.asking import served_models
from harness.adapters.base import Counters, EngineReport, Place, command, dashed, merged_flags
from harness.vocabulary.arm import Arm
from harness.vocabulary.base import Scalar
from harness.vocabulary.target import Target


class Command:
    """A server about which nothing is known but its log, so effective settings rest on witnesses alone."""

    name = "command"
    port_zero = False
    serves_alias = False
    counted: tuple[str, ...] = ()

    def argv(self, target: Target, arm: Arm | None, place: Place) -> tuple[str, ...]:
        words = (*command(target), *dashed(merged_flags(target, arm)))
        return tuple(word.replace("{port}", str(place.port)).replace("{alias}", place.alias) for word in words)

    def comparable(self, flag: str, value: Scalar) -> str | None:
        return None

    def counters(self, report: EngineReport) -> Counters | None:
        return None

    def kv_tokens(self, report: EngineReport) -> int | None:
        return None

    def sampling(self, tokens: int) -> tuple[tuple[str, Scalar], ...]:
        return (("max_tokens", tokens), ("ignore_eos", True))

    async def report(self, base_url: str, log: str) -> EngineReport:
        return EngineReport(log=log, served_models=await served_models(base_url))
