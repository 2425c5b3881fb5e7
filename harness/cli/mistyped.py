"""Words on a command line that do not fit, in one sentence of ours: what, where, and what was perhaps meant.

Loaded when there is something to say. What the library complains of and we do not know is passed on in its words.
"""

from collections.abc import Mapping
from typing import Any

from harness.cli.app import COMMANDS
from harness.cli.subcommands import Typed
from harness.vocabulary.complaint_words import in_our_words
from harness.vocabulary.nearest import meant, nearest

NO_VALUE = "does not take a value"  # the library's words where --yes=3 was typed
FRONT_OFFICE = (  # what `committee` has, which the bench does not load; a test holds it to the program itself
    "init new check pull review approve brief measure rank accept ticket deploy watch rollback park "
    "decline run resume costs reviewers replay ask import imported invalidate supersede reopened rests "
    "as-of log show verify anchor export ledger report doctor demo"
)
Command = Any  # of the library that reads the command line; it exports no types


def sentence(error: Any, typed: Typed) -> str:
    """One sentence about an error of the library."""
    name, command = _reached(error, typed)
    ended = f"see '{name} --help'"
    if (missing := getattr(error, "param_type", None)) is not None or _kind(error) == "MissingParameter":
        return f"'{name}' needs {_shown(error.param) if error.param else missing}; {ended}"
    if _kind(error) == "NoSuchOption":
        known = [opt for one in command.params for opt in (*one.opts, *one.secondary_opts) if opt.startswith("-")]
        return f"'{name}' has no option {error.option_name!r}{meant(error.option_name, known) or ';'} {ended}"
    if _kind(error) == "BadOptionUsage":
        return f"'{name}': {_unfit(error, command)}; {ended}"
    if _kind(error) == "BadParameter" and error.param is not None:
        return f"'{name}': {_refused(error)}; {ended}"
    left = typed.words[len(name.split()) - 1 :]  # behind those that named the command
    commands = getattr(command, "commands", None)
    if commands and left and left[0] not in commands:
        beside = _beside(typed) if command is typed.program else {}
        return f"'{name}' has no command {left[0]!r}{_meant(left[0], commands, beside) or ';'} {ended}"
    if "unexpected extra argument" in str(error):
        words = str(error).rpartition("(")[2].rstrip(").")
        takes = " and ".join(_name(one) for one in command.params if one.param_type_name == "argument")
        return f"'{name}' takes {takes or 'no words but options'}, {words!r} is too much; {ended}"
    return f"'{name}': {' '.join(error.format_message().split()).rstrip('.')}; {ended}"


def _beside(typed: Typed) -> dict[str, str]:
    """Commands of the other program, each with the words that name it there."""
    bench = typed.program.table is COMMANDS
    other = ("committee", FRONT_OFFICE.split()) if bench else ("harness", [*COMMANDS])
    return {name: f"{other[0]} {name}" for name in other[1]}


def _meant(word: str, own: Mapping[str, Command], beside: Mapping[str, str]) -> str:
    """The nearest command of both programs: one of this program where both have it, with its program otherwise."""
    near = nearest(word, [*own, *(name for name in beside if name not in own)])
    return f"; did you mean {(near if near in own else beside[near])!r}?" if near else ""


def _kind(error: Any) -> str:
    return type(error).__name__


def _reached(error: Any, typed: Typed) -> tuple[str, Command]:
    """Name and command to which the words led: the error's own, else as far as the words are names of commands."""
    context = getattr(error, "ctx", None)
    if context is not None:
        return context.command_path, context.command
    name, command = typed.name, typed.program
    for word in typed.words:
        inner = getattr(command, "commands", {}).get(word)
        if inner is None:
            break
        name, command = f"{name} {word}", inner
    return name, command


def _name(param: Any) -> str:
    """An option as it is typed, an argument as the help shows it."""
    if param.param_type_name == "option":
        return str(param.opts[0])
    return str(param.metavar or (param.name or "").upper())


def _shown(param: Any) -> str:
    about = f" ({param.help})" if getattr(param, "help", None) else ""
    return f"{_name(param)}{about}"


def _unfit(error: Any, command: Command) -> str:
    """An option with a value that it does not take, or without the one that it needs."""
    option = error.option_name
    if NO_VALUE in str(error):
        return f"{option} takes no value, write it alone"
    param = next((one for one in command.params if option in one.opts), None)
    about = f" ({param.help})" if param is not None and param.help else ""
    return f"{option} needs a value{about}"


def _refused(error: Any) -> str:
    """A value that is none of those that may stand there."""
    found = error.__cause__.errors() if hasattr(error.__cause__, "errors") else []
    if not found:
        return f"{_name(error.param)}: {' '.join(str(error.message).split()).rstrip('.')}"
    first = found[0]
    words, value = in_our_words(first["type"], first["msg"], first.get("ctx", {})).rstrip("."), repr(first["input"])
    return f"{_name(error.param)}: {words}" if value in words else f"{_name(error.param)}: {value} {words}"
