"""`harness probe`: what the stream of a server is made of."""

import asyncio
import os
from pathlib import Path
from typing import Annotated, Literal

import typer

from harness import lease, procfs
from harness.cli.place import Place
from harness.cli.speak import GOOD, NEGATIVE, fail, print_json, say
from harness.gates.ready import dialled
from harness.hosts.onlooker import Onlooker
from harness.vocabulary.base import BadFileError
from harness.workflow.probe import NotProbed, Probed, Question, probe
from harness.workflow.production import state_dir
from harness.workflow.proof import named_by

commands = typer.Typer(add_completion=False)


@commands.command("probe")
def probe_server(
    where: Annotated[
        str, typer.Argument(metavar="URL|TARGET", help="a base address, or a target whose production is up")
    ],
    raw: Annotated[bool, typer.Option("--raw", help="print the first kilobyte as it came, escaped")] = False,
    api: Annotated[Literal["chat", "completions"] | None, typer.Option(help="default: the target's, else chat")] = None,
    model: Annotated[str, typer.Option(help="default: the target's, else the first that the server lists")] = "",
    whole: Annotated[bool, typer.Option("--whole", help="ask for the answer in one piece instead of a stream")] = False,
    key_env: Annotated[str, typer.Option(help="NAME of a variable that holds the server's key")] = "",
    workspace: Annotated[Path | None, typer.Option(help="the workspace; default: the one you are in")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="as JSON")] = False,
) -> None:
    """Ask a server for a few tokens and show what its stream is made of; nothing else."""
    if key_env and key_env not in os.environ:
        raise BadFileError(f"there is no variable {key_env!r}; set it, or leave --key-env away")
    given = (api, model, not whole, os.environ.get(key_env, "") if key_env else "")
    outcome = asyncio.run(probe(_question(where, workspace, given)))
    if isinstance(outcome, NotProbed):
        raise fail(outcome.sentence)
    if as_json:
        print_json(outcome.as_json())
    else:
        _print(outcome, raw=raw)
    raise typer.Exit(GOOD if outcome.status == 200 and outcome.anatomy.text_fields else NEGATIVE)


def _question(
    where: str, workspace: Path | None, given: tuple[Literal["chat", "completions"] | None, str, bool, str]
) -> Question:
    """What to ask. Raises BadFileError where the target cannot be asked now."""
    api, model, stream, key = given
    if where.startswith(("http://", "https://")):
        return Question(where, api or "chat", model, stream, key)
    place = Place.find(workspace)
    target, _ = place.target(where)
    if target.host is not None:
        raise BadFileError(
            f"{where!r} runs on {target.host.ssh!r}; probe it there, or name an address that leads to it"
        )
    folder = state_dir(place.folder, target)
    holder = lease.read(folder) if folder.is_dir() else None
    if holder is not None and procfs.same(holder.pid, holder.start_time):
        raise BadFileError(f"{where!r} is in the hands of run {holder.run!r}, which a stranger's request would spoil")
    production = asyncio.run(Onlooker(folder).production())
    if production.held is None:
        raise BadFileError(f"production of {where!r} does not run; 'harness start {where}' starts it")
    url = dialled(production.url or named_by(target), target.endpoint.host)
    return Question(url, api or target.endpoint.api, model or target.endpoint.model, stream, key)


def _print(seen: Probed, *, raw: bool) -> None:
    say(f"{seen.url}: status {seen.status}, {seen.content_type or 'no content type'}, model {seen.model!r}")
    if raw:
        say(repr(seen.head))
    found = seen.anatomy
    for one in found.fields:
        said = [f"{one.with_text} with text"] if one.with_text else []
        said += [f"{one.empty} EMPTY"] if one.empty else []
        said += [f"{one.null} null"] if one.null else []
        say(f"  {one.name}: {', '.join(said)}")
    if not found.text_fields:
        say("  no field carried text")
    usage = ", ".join(f"{name} {value}" for name, value in found.usage.items() if isinstance(value, int))
    say(f"  usage: {usage or 'none was sent'}")
    ended = f"finish reason {', '.join(found.finish_reasons) or 'none'}{', [DONE]' if found.done else ''}"
    say(f"  {found.events} events; {ended}")
    if found.broken:
        say(f"  {found.broken} events are no JSON objects")
    if found.error:
        say(f"  error inside: {found.error}")
