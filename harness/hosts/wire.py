"""Specs and held processes as the guardian's protocol and production.json write them, and back."""

from pathlib import Path
from typing import Any

from harness.hosts.base import Held, ServerSpec


def spec_to_json(spec: ServerSpec) -> dict[str, Any]:
    """As the guardian's protocol and production.json write it."""
    return vars(spec) | {"argv": list(spec.argv), "env": [list(pair) for pair in spec.env], "cwd": str(spec.cwd)}


def spec_from_json(value: dict[str, Any]) -> ServerSpec:
    """The reverse."""
    env = tuple((name, content) for name, content in value["env"])
    return ServerSpec(**value | {"argv": tuple(value["argv"]), "env": env, "cwd": Path(value["cwd"])})


def held_to_json(held: Held) -> dict[str, Any]:
    """As the guardian's protocol writes it."""
    return vars(held) | {"log": str(held.log)}


def held_from_json(value: dict[str, Any]) -> Held:
    """The reverse; the protocol may say more than that."""
    return Held(value["label"], value["pid"], value["start_time"], Path(value["log"]))
