"""Specs and held processes as the guardian's protocol and production.json write them, and back."""

from pathlib import Path
from typing import Any

from harness.hosts.base import Held, Production, ServerSpec


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


def production_from_json(record: dict[str, Any], *, runs: bool) -> Production:
    """production.json as a value; `runs` says whether the process that it names was seen alive."""
    spec, started_as = record["spec"], record.get("started_as") if runs else None
    former = record.get("former")  # a record of an older guardian has none
    return Production(
        spec=spec_from_json(spec) if spec else None,
        wanted=record["wanted"],
        held=held_from_json(record["held"]) if runs else None,
        url=(record["url"] or None) if runs else None,
        started_as=spec_from_json(started_as) if started_as else None,
        former=spec_from_json(former) if former else None,
    )
