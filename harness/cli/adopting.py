"""`harness adopt`: a draft of a target's file from a launch script, which is read and never run."""

import os
import re
from pathlib import Path
from typing import Annotated

import typer

from harness.cli.place import Place
from harness.cli.speak import USAGE, fail, print_json, say
from harness.own_files import write_own
from harness.vocabulary.arm import NAME
from harness.vocabulary.base import BadFileError
from harness.vocabulary.private import NOT_FOR_GIT
from harness.vocabulary.target import Target
from harness.vocabulary.undecided import undecided_lines
from harness.workflow.adopt import Found, NotFound, find_server
from harness.workflow.shell_script import MOST_BYTES
from harness.workflow.target_draft import draft, private_draft

commands = typer.Typer(add_completion=False)


@commands.command("adopt")
def adopt(
    script: Annotated[Path, typer.Option(help="the script that starts the server")],
    name: Annotated[str | None, typer.Option(help="name of the target; default: the script's name")] = None,
    workspace: Annotated[Path | None, typer.Option(help="the workspace; default: the one you are in")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="as JSON")] = False,
) -> None:
    """Draft a target's file from the script that starts a server; the script is never run."""
    place = Place.find(workspace)
    called = name if name is not None else re.sub(r"[^a-z0-9]+", "-", script.stem.lower()).strip("-")
    if not re.fullmatch(NAME, called):
        raise BadFileError(f"{called!r} is no name for a target (lower case, digits, hyphens); give one with --name")
    path = place.folder / "targets" / f"{called}.toml"
    if path.exists():
        raise BadFileError(f"{str(path)!r} exists and is not written over; give another name with --name")
    found = find_server(_text(script))
    if isinstance(found, NotFound):
        raise fail(f"{str(script)!r}: {found.sentence}", USAGE)
    text = draft(found, called, script.name)
    hidden = _put_aside(path, private_draft(found, called))
    with path.open("x", encoding="utf-8") as out:
        out.write(text)
    here, aside = len(undecided_lines(text)), len(undecided_lines(hidden.read_text("utf-8"))) if hidden else 0
    loads = _trouble(path)
    if as_json:
        print_json(
            {
                "path": str(path),
                "private": str(hidden) if hidden else None,
                "decide": here + aside,
                "secrets_left_out": list(found.secrets),
                "loads": not loads,
            }
        )
        return
    where = f"{here} there, {aside} in {hidden.name}" if hidden else "all there"
    say(
        f"Drafted {path} from line {found.line} of {script}: {here + aside} lines marked DECIDE are yours, "
        f"{where}.{loads}"
    )
    _say_the_rest(found, hidden, called)


def _trouble(path: Path) -> str:
    """What keeps the draft from being loaded, with a blank before it; empty if nothing does."""
    try:
        Target.from_toml(path)
    except BadFileError as error:
        return f" It does not load yet: {error}."
    return ""


def _say_the_rest(found: Found, hidden: Path | None, called: str) -> None:
    if found.secrets:
        said = f" Those that production needs go into {hidden}, which git does not keep." if hidden else ""
        say(f"Secrets were not copied: {', '.join(found.secrets)}.{said}")
    say(
        "Nothing was started, and nothing can be while the word DECIDE stands in it: answer each and take the word "
        f"away, see it with `harness targets`, then try `harness start {called}`."
    )


def _put_aside(target: Path, text: str) -> Path | None:
    """The file for private variables beside the target's, readable by its owner only, and git told not to keep it."""
    if not text:
        return None
    path, ignored = target.with_name(f"{target.stem}.private.toml"), target.with_name(".gitignore")
    if os.path.lexists(path):
        raise BadFileError(f"{str(path)!r} exists and is not written over; move it away, or give another name")
    known = ignored.read_text(encoding="utf-8") if ignored.exists() else ""
    if NOT_FOR_GIT not in known.splitlines():
        ignored.write_text(f"{known}{'' if not known or known.endswith(chr(10)) else chr(10)}{NOT_FOR_GIT}\n", "utf-8")
    write_own(path, text.encode())
    return path


def _text(script: Path) -> str:
    """The script's text. Raises BadFileError."""
    data = script.read_bytes() if script.is_file() else None
    if data is None:
        raise BadFileError(f"{str(script)!r} is no file; name the script that starts the server")
    if len(data) > MOST_BYTES or b"\0" in data:
        raise BadFileError(f"{str(script)!r} is no script of a few pages; name the one that starts the server")
    return data.decode("utf-8", errors="replace")
