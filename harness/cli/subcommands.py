"""A group of subcommands whose modules are loaded when they are typed: looking at the help loads no library.

What was typed wrongly is one sentence and exit code 2, for every subcommand alike: this is the border for words.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command as made_of

from harness.cli.interrupt import silently_interruptible
from harness.cli.speak import USAGE, fail, print_json_line

HALF = re.compile("[\ud800-\udfff]")  # how Python shows a byte that is no UTF-8
TYPED = "harness.typed"  # in the library's context: the words behind the program's name
EMPTY_OPTION = re.compile(r"--[a-z-]+=")  # --reason= without a reason


@dataclass(frozen=True)
class Entry:
    """Where a subcommand is, and its line in the list; a test holds the line equal to the command's own words."""

    module: str  # its `commands` holds the subcommand
    line: str


@dataclass(frozen=True)
class Typed:
    """What a person typed: the program, as it is called and as it is, and the words behind its name."""

    name: str
    program: Any
    words: tuple[str, ...]

    @classmethod
    def of(cls, context: Any) -> "Typed":
        """From the library's context of any of its subcommands."""
        root = context.find_root()
        return cls(root.info_name or "", root.command, root.meta.get(TYPED, ()))


def _said(error: typer.TyperException, typed: "Typed") -> Exception:
    """One sentence for words that do not fit; a group that was typed alone has shown its help instead."""
    said = " ".join(error.format_message().split())
    if not said or said.startswith("Usage:"):
        return error
    return _mistake(import_module("harness.cli.mistyped").sentence(error, typed), typed.words)


def _mistake(sentence: str, typed: Sequence[str]) -> typer.Exit:
    """The sentence for a person, and for a program that asked for JSON the same as one object."""
    if "--json" in typed:
        print_json_line({"error": sentence})
    return fail(sentence, USAGE)


class Subcommands(TyperGroup):
    """Lists every subcommand from its table and loads one when it was typed. A subclass names the table."""

    table: ClassVar[Mapping[str, Entry]] = {}

    def __init__(self, **attributes: Any) -> None:
        """Begin with a name and a line for each."""
        super().__init__(**attributes)
        self.commands = {name: TyperCommand(name, help=entry.line) for name, entry in self.table.items()}

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The subcommand that was typed, its module loaded."""
        ctx.meta.setdefault(TYPED, tuple(args))  # a group in a group sees only the rest
        if args and args[0] in self.table:
            self.load(args[0])
        found = super().resolve_command(ctx, args)
        for number, word in enumerate(args):
            if HALF.search(word):
                where = f"'{ctx.command_path} {args[0]}'"
                raise _mistake(f"{where}: {word!r} is no text (it is not UTF-8); type or name it in characters", args)
            if not word or EMPTY_OPTION.fullmatch(word):
                before = f" after {args[number - 1]!r}" if number > 1 else ""
                where = f"'{ctx.command_path} {args[0]}'"
                raise _mistake(f"{where}: a word is empty{before}, {word!r}; write what is meant there", args)
        return found

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """What stands before the subcommand. Raises typer.Exit(2) where it cannot be understood, after one sentence."""
        try:
            return super().make_context(info_name, args, parent, **extra)
        except typer.TyperException as error:
            typed = Typed.of(parent) if parent else Typed(info_name or "", self, tuple(args))
            raise _said(error, typed) from error

    def invoke(self, ctx: Any) -> Any:
        """Run what was typed. Raises typer.Exit(2) where it cannot be understood, after one sentence."""
        try:
            return super().invoke(ctx)
        except typer.TyperException as error:
            raise _said(error, Typed.of(ctx)) from error

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
