"""Settings and engines for the pure tests, made from the words of a command line."""

from collections.abc import Mapping

from harness.simulator.engine_flags import Engine, engine_of, parse_flags
from harness.simulator.faults import Faults
from harness.simulator.settings import Settings, option_parser, own_settings


def settings_of(*words: str) -> Settings:
    """What these words say."""
    parsed, rest = option_parser().parse_known_args(words)
    own = own_settings(parsed)
    return Settings(own, parse_flags(str(own["style"]), rest), Faults.parse(parsed.fault))


def engine_from(*words: str, env: Mapping[str, str] | None = None) -> Engine:
    """The engine that these words and variables give, at speed 1."""
    return engine_of(settings_of(*words), env or {}, 1.0)
