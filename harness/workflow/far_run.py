"""Runs on another machine, from here: begin one there, look, watch, stop, and bring its record back.

Everything goes through the harness that is installed there, over one ssh link for each look. A link that is lost ends
the look; the run does not notice.
"""

import asyncio
import secrets
import shlex
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from harness import __version__
from harness.hosts.connection import GuardianError
from harness.hosts.ssh_link import Channel, Finished
from harness.own_files import write_own
from harness.procfs import json_of, write_atomically
from harness.shortened import ending
from harness.vocabulary.private import BESIDE, blanks_of
from harness.vocabulary.target import OtherHost
from harness.workflow.detached import Terms, keep
from harness.workflow.events import MeasureEvent
from harness.workflow.fetch import Fetched, NotFetched, bring
from harness.workflow.order import Order
from harness.workflow.receive import packed
from harness.workflow.run_files import WORKSPACE, FarRun, RunFiles
from harness.workflow.status import event_in
from ledger.head_file import head_path
from ledger.store import Ledger
from ledger.verify import verify

ASK_TIMEOUT_S = 120.0  # the harness there loads its libraries first, on a machine that may be busy
COPY_TIMEOUT_S = 600.0
OVER = frozenset({"ended", "stopped", "lost", "ordered"})  # states in which no process of the run is left
RETRIES = 30  # of a lost link while watching, one after the other without a word from there
RETRY_S = 2.0
SHOWN = 300  # characters of what was said there last


class Link(Protocol):
    """What an ssh link can do; `SshLink` is one."""

    name: str

    async def run(self, argv: tuple[str, ...], stdin: bytes, timeout_s: float) -> Finished:
        """Run a command to its end."""

    async def process(self, argv: tuple[str, ...]) -> Channel:
        """Start a command that is read while it goes on."""

    async def close(self) -> None:
        """Close it."""


Open = Callable[[str], Awaitable[Link]]


@dataclass(frozen=True)
class FarFailed:
    """It could not be done there; the sentence says why and what to do."""

    sentence: str


async def begin(workspace: Path, order: Order, terms: Terms, opened: Open) -> dict[str, Any] | FarFailed:
    """Send the order and detach it there. Raises GuardianError where that machine cannot be reached, BadFileError.

    Where it goes is written down before it is sent: a run that goes on there after this process was killed, or after
    the link was lost, is known here. Only a refusal from there takes that away again.
    """
    host = order.target.host
    if host is None:
        raise ValueError(f"target {order.target.name!r} is on this machine")
    link = await opened(host.ssh)
    try:
        if trouble := await _missing(link, host):
            return FarFailed(trouble)
        parcel = packed(order, target_files(workspace, order.target.name), host.folder, terms)
        argv = (host.python, "-P", "-m", "harness.workflow.receive")
        made = _note(workspace, order, host)
        try:
            done = await link.run(argv, parcel.to_json(), ASK_TIMEOUT_S)
        except GuardianError as error:
            return FarFailed(f"{error}; {_unknown(workspace, order.run, terms)}")
    finally:
        await link.close()
    said = _last_object(done)
    if "run" in said:
        return said
    blanks = blanks_of(order.target)
    words = blanks.text(str(said.get("error") or "")) or ending(blanks.text(done.err), SHOWN)
    words = f"{host.ssh}: {words or f'it ended with {done.code}'}"
    if "error" not in said:
        return FarFailed(f"{words}; {_unknown(workspace, order.run, terms)}")
    if not said.get("under_way"):
        _forget(made)
    return FarFailed(words)


def _note(workspace: Path, order: Order, host: OtherHost) -> tuple[Path, ...]:
    """Write down where the run goes, beside its order; the files that were not there before. Raises BadFileError."""
    files = RunFiles.of(workspace, order.run)
    made = tuple(path for path in (files.order, files.far) if not path.exists())
    keep(workspace, order)
    write_atomically(files.far, asdict(FarRun(order.run, order.target.name, host.ssh, host.folder, host.python)))
    return made


def _forget(made: tuple[Path, ...]) -> None:
    """Take it away again, and the run's folder if nothing else is in it."""
    for path in made:
        path.unlink()
        with suppress(OSError):
            path.parent.rmdir()


def _unknown(workspace: Path, run: str, terms: Terms) -> str:
    order, words = str(RunFiles.of(workspace, run).order), replace(terms, take_over=False).words
    again = shlex.join(("harness", "measure", "--order", order, "--detach", *words))  # without its window: at once
    return f"whether it began there is not known: 'harness status {run}' asks there, and `{again}` sends it once more"


async def _missing(link: Link, host: OtherHost) -> str:
    """Why the harness there cannot be used, or an empty string."""
    done = await link.run((host.python, "-P", "-m", "harness", "version"), b"", ASK_TIMEOUT_S)
    there = done.out.decode(errors="replace").strip()
    wheel = f"committee-{__version__}-py3-none-any.whl"
    how = (
        f"install it there, for example: `python -m pip wheel --no-deps .` in the checkout here, `scp {wheel} "
        f"{host.ssh}:`, then ssh {host.ssh} 'python3 -m venv committee && committee/bin/pip install ./{wheel}', "
        'and set python = "committee/bin/python" under [host]'
    )
    if done.code != 0:
        said = done.err.splitlines()[-1] if done.err else f"it ended with {done.code}"
        return f"the harness is not installed for {host.python!r} on {host.ssh!r} ({said}); {how}"
    if there != __version__:
        return f"the harness on {host.ssh!r} is {there!r} and this one {__version__!r}; {how}"
    return ""


def target_files(workspace: Path, name: str) -> dict[str, str]:
    """The target's files as that machine itself sees them: without the table that leads to it."""
    found: dict[str, str] = {}
    for suffix in ("", *BESIDE):
        path = workspace / "targets" / f"{name}{suffix}.toml"
        if path.exists():
            found[path.name] = _without_host(path.read_text(encoding="utf-8"))
    return found


def _without_host(text: str) -> str:
    """The text without its `[host]` table, which ends where the next table begins."""
    kept, inside = list[str](), False
    for line in text.split("\n"):
        if line.strip().startswith("["):
            inside = line.split("#")[0].replace(" ", "").strip() == "[host]"
        if not inside:
            kept.append(line)
    return "\n".join(kept)


async def ask(far: FarRun, opened: Open, *words: str) -> dict[str, Any] | FarFailed:
    """What a command of the harness there says in JSON; a plain sentence comes back under `said`."""
    link = await opened(far.ssh)
    try:
        done = await link.run(far.words(*words), b"", ASK_TIMEOUT_S)
    finally:
        await link.close()
    if done.code not in (0, 1) or (done.code == 1 and not done.out.strip()):
        return FarFailed(f"{far.ssh}: {done.err or f'it ended with {done.code}'}")
    try:
        value = json_of(done.out)
    except ValueError:
        return {"said": done.out.decode(errors="replace").strip()}
    if isinstance(value, dict) and set(value) == {"error"}:
        return FarFailed(f"{far.ssh}: {value['error']}")
    return value if isinstance(value, dict) else {"said": value}


async def watch(far: FarRun, opened: Open, tell: Callable[[MeasureEvent], None]) -> None:
    """Tell what happens there until the run is at its end or nobody answers any more; a lost link is opened again."""
    told, silent = set[bytes](), 0
    while silent < RETRIES:
        before = len(told)
        with suppress(GuardianError):
            if await _watched(far, opened, tell, told):
                return
        silent = 0 if len(told) > before else silent + 1
        await asyncio.sleep(RETRY_S)


async def _watched(far: FarRun, opened: Open, tell: Callable[[MeasureEvent], None], told: set[bytes]) -> bool:
    """One link's worth of events; whether the run is over there."""
    link = await opened(far.ssh)
    try:
        channel = await link.process(far.words("attach", far.run, "--json"))
        while line := await channel.readline():
            event = event_in(line)
            if event is not None and line not in told:
                told.add(line)
                tell(event)
        done = await link.run(far.words("status", far.run, "--json"), b"", ASK_TIMEOUT_S)
    finally:
        await link.close()
    return _last_object(done).get("state") in OVER


async def fetch(far: FarRun, workspace: Path, opened: Open, into: Ledger) -> Fetched | NotFetched | FarFailed:
    """Copy that machine's ledger, events and words beside the run, and bring its entries into this ledger."""
    there = f"{far.folder}/{WORKSPACE}"
    copy = f"{there}/.committee/copy-{secrets.token_hex(8)}.db"
    files = RunFiles.of(workspace, far.run)
    link = await opened(far.ssh)
    try:
        done = await link.run(far.words("fetch", far.run, "--json", "--copy", copy), b"", COPY_TIMEOUT_S)
        if done.code != 0:
            return FarFailed(f"{far.ssh}: {done.err or f'it ended with {done.code}'}")
        run = RunFiles.of(Path(there), far.run)
        local = files.folder / "far-records.db"
        copies = ((copy, local), (str(head_path(Path(copy))), head_path(local)))
        for path, to in (*copies, (str(run.events), files.events), (str(run.words), files.words)):
            content = await link.run(("cat", path), b"", COPY_TIMEOUT_S)
            if content.code == 0:
                write_own(to, content.out)  # words and events of a server whose variables may be private
        await link.run(("rm", "-f", *(path for path, _ in copies)), b"", ASK_TIMEOUT_S)
    finally:
        await link.close()
    found = verify(local)
    if not found.ok:
        return NotFetched(f"the ledger that {far.ssh} gave is not whole ({found.findings[0]}); nothing was brought")
    with Ledger.open(local, actor=into.actor) as source:
        return bring(source, into, far.run)


def _last_object(done: Finished) -> dict[str, Any]:
    """The JSON object in the last line or the whole of what a command printed; a login's shell may talk before it."""
    for text in (done.out, done.out.strip().rpartition(b"\n")[2]):
        with suppress(ValueError):
            value = json_of(text)
            if isinstance(value, dict):
                return value
    return {}
