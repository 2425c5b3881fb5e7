"""What each engine's command line, log and reports mean. `ADAPTERS` is the registry, by name."""

from harness.adapters.base import Adapter, Counters, EngineReport, Place, server_spec
from harness.adapters.command import Command
from harness.adapters.llamacpp import LlamaCpp
from harness.adapters.transformers import Transformers
from harness.adapters.vllm import Vllm

ADAPTERS: dict[str, Adapter] = {adapter.name: adapter for adapter in (LlamaCpp(), Vllm(), Transformers(), Command())}

__all__ = ["ADAPTERS", "Adapter", "Counters", "EngineReport", "Place", "server_spec"]
