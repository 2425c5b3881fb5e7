"""A group of subcommands whose modules are loaded when they are typed: looking at the help loads no library."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar

from typer.core import TyperCommand, TyperGroup
from typer.main import get_command as made_of

from harness.cli.interrupt import silently_interruptible


@dataclass(frozen=True)
class Entry:
    """Where a subcommand is, and its line in the list; a test holds the line equal to the command's own words."""

    module: str  # its `commands` holds the subcommand
    line: str


class Subcommands(TyperGroup):
    """Lists every subcommand from its table and loads one when it was typed. A subclass names the table."""

    table: ClassVar[Mapping[str, Entry]] = {}

    def __init__(self, **attributes: Any) -> None:
        """Begin with a name and a line for each."""
        super().__init__(**attributes)
        self.commands = {name: TyperCommand(name, help=entry.line) for name, entry in self.table.items()}

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The subcommand that was typed, its module loaded."""
        if args and args[0] in self.table:
            self.load(args[0])
        return super().resolve_command(ctx, args)

    def load_all(self) -> None:
        """Every subcommand as it is, for whoever describes them all."""
        for name in self.table:
            self.load(name)

    def load(self, name: str) -> TyperCommand | TyperGroup:
        """Put the real subcommand in its place. Raises KeyError for an unknown name."""
        with silently_interruptible():
            module = import_module(self.table[name].module)
        made = made_of(module.commands)
        command = made.commands[name] if isinstance(made, TyperGroup) else made
        if not isinstance(command, TyperCommand | TyperGroup):
            raise TypeError(f"{name!r} is neither a command nor a group of them")
        self.commands[name] = command
        return command
