"""`evidence/flags.toml`: the engine's flags, their defaults, and what its own log says is in force. Pure."""

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from committee.pull.manifest import quoted
from committee.vocabulary.plain import OneLine
from harness.vocabulary.arm import NAME, normal, text
from harness.vocabulary.base import Value, parse_toml
from harness.vocabulary.target import Target

INVENTORY = "evidence/flags.toml"
MAX_FLAGS = 800  # vLLM has about 250, llama.cpp about 230


class Flag(Value):
    """One flag. What nobody says is empty."""

    name: str = Field(min_length=1, max_length=80, description="without leading dashes")
    default: OneLine = Field(default="", max_length=200, description="as the engine's help says")
    in_force: OneLine = Field(default="", max_length=200, description="as its own log or report says")
    asked: OneLine = Field(default="", max_length=200, description="what production's command line asks for")


class Inventory(Value):
    """All flags that are known of one engine."""

    schema_version: Literal[1] = Field(alias="schema", description="version of the file format")
    target: str = Field(pattern=NAME, description="the target whose engine it is")
    seen: OneLine = Field(max_length=300, description="where the values come from")
    flag: tuple[Flag, ...] = Field(default=(), max_length=MAX_FLAGS, description="sorted by name")


def inventory_of(target: Target, defaults: Mapping[str, str], in_force: Mapping[str, str], seen: str) -> Inventory:
    """From the help's names and defaults, the engine's own report, and the target's file."""
    asked = {normal(name): text(value) for name, value in target.baseline.flags.items()}
    said = {normal(name): value for name, value in defaults.items()}
    held = {normal(name): value for name, value in in_force.items()}
    names = sorted({*asked, *said, *held, *target.allowed_flags})
    flags = (
        {"name": name, "default": _line(said, name), "in_force": _line(held, name), "asked": _line(asked, name)}
        for name in names[:MAX_FLAGS]
    )
    return Inventory.model_validate({"schema": 1, "target": target.name, "seen": seen, "flag": tuple(flags)})


def inventory_in(files: Mapping[str, bytes]) -> Inventory | None:
    """The inventory of a revision, none if there is none. Raises BadFileError with one sentence."""
    content = files.get(INVENTORY)
    if content is None:
        return None
    return Inventory.from_mapping(parse_toml(content, INVENTORY, "run `committee pull` again"), INVENTORY)


def as_toml(inventory: Inventory) -> str:
    """The inventory as the file that `inventory_in` reads; empty values are left out."""
    lines = [
        "# Written by `committee pull`: flags of the engine, defaults by its help, values in force by its own report.",
        "schema = 1",
        f"target = {quoted(inventory.target)}",
        f"seen = {quoted(inventory.seen)}",
    ]
    for flag in inventory.flag:
        lines += ["", "[[flag]]", f"name = {quoted(flag.name)}"]
        values = (("default", flag.default), ("in_force", flag.in_force), ("asked", flag.asked))
        lines += [f"{key} = {quoted(value)}" for key, value in values if value]
    return "\n".join(lines) + "\n"


def _line(values: Mapping[str, str], name: str) -> str:
    return " ".join(values.get(name, "").split())[:200]
