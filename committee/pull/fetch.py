"""Fetching over the harness's host, local or over ssh. It reads files and runs the help; production is not touched."""

import hashlib
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from committee.pull.help_text import flags_in
from committee.pull.inventory import Inventory, inventory_of
from committee.pull.manifest import Manifest, PulledFile
from harness.adapters import ADAPTERS
from harness.adapters.base import environment
from harness.gates.armed import NOTHING_SEEN
from harness.hosts.base import NotStarted, ServerSpec
from harness.hosts.connection import GuardianError
from harness.hosts.host import Host
from harness.hosts.onlooker import Onlooker
from harness.hosts.sight import CHUNK_BYTES
from harness.vocabulary.arm import text
from harness.vocabulary.base import BadFileError
from harness.vocabulary.listed import Compiled
from harness.vocabulary.target import Target
from harness.workflow.attest import attest
from harness.workflow.carrier import onlooker, open_host
from harness.workflow.recorded_words import blanks_over

MAX_FILE_BYTES = 2 * 1024 * 1024  # what a revision takes
HELP_TIMEOUT_S = 120.0  # importing a large engine takes a minute on a cold disk
NEVER_READY = r"(?!)"  # no line matches: a help ends by itself


@dataclass(frozen=True)
class Pulled:
    """What came back."""

    files: tuple[tuple[str, bytes], ...]  # path inside the proposal, content
    manifest: Manifest
    inventory: Inventory


async def pull(state: Path, target: Target) -> Pulled:
    """Everything that the target's file lists. Raises BadFileError with one sentence, before anything is written."""
    if target.sources is None:
        raise BadFileError(
            f"target {target.name!r} lists nothing to fetch; add [sources] with compiled = [{{path, into}}] or help"
        )
    try:
        async with onlooker(state, target) as looking:
            files = [(file, await _content(looking, file, target.name)) for file in target.sources.compiled]
        defaults, seen = await _defaults(state, target)
        in_force, running = await _in_force(state, target)
    except (GuardianError, OSError) as error:
        said = f"the host of {target.name!r} cannot be read ({error}); try `harness attest {target.name}`"
        raise BadFileError(said) from error
    manifest = Manifest.model_validate(
        {
            "schema": 1,
            "target": target.name,
            "file": tuple(_pulled(file, content) for file, content in files),
        }
    )
    return Pulled(
        tuple((file.into, content) for file, content in files),
        manifest,
        inventory_of(target, defaults, in_force, f"{seen}; {running}"),
    )


async def drifted(state: Path, target: Target, manifest: Manifest) -> tuple[str, ...]:
    """One sentence for each file that the host no longer holds as it was fetched. Raises GuardianError, OSError."""
    said: list[str] = []
    async with onlooker(state, target) as looking:
        for file in manifest.file:
            stat = await looking.stat(Path(file.path))
            if stat is None:
                said.append(f"{file.path!r}, from which {file.into!r} was fetched, is gone on the host; pull again")
            elif stat.sha256 != file.sha256:
                said.append(f"{file.path!r} has changed on the host since {file.into!r} was fetched; pull again")
    return tuple(said)


def _pulled(file: Compiled, content: bytes) -> PulledFile:
    digest = hashlib.sha256(content).hexdigest()
    return PulledFile(into=file.into, path=file.path, sha256=digest, bytes=len(content))


async def _content(looking: Onlooker, file: Compiled, target: str) -> bytes:
    """The whole file as it was at one moment. Raises BadFileError."""
    path, content = Path(file.path), bytearray()
    stat = await looking.stat(path)
    if stat is None:
        raise BadFileError(f"{file.path!r} is not there on the host of {target!r}; correct sources.compiled")
    if stat.bytes > MAX_FILE_BYTES:
        raise BadFileError(f"{file.path!r} is larger than {MAX_FILE_BYTES} bytes; a proposal cannot hold it")
    while len(content) <= MAX_FILE_BYTES and (part := await looking.read(path, len(content))):
        content += part
        if len(part) < CHUNK_BYTES:
            break
    if hashlib.sha256(content).hexdigest() != stat.sha256:
        raise BadFileError(f"{file.path!r} changed while it was read; pull again when nobody writes it")
    return bytes(content)


async def _defaults(state: Path, target: Target) -> tuple[Mapping[str, str], str]:
    """The help's flags and where they come from; nothing where the target names no help."""
    words = target.sources.help if target.sources else ()
    if not words:
        return {}, "no help is named in the target's file"
    host = await open_host(state, target)
    try:
        argv = tuple(word.replace("{python}", _python(target)) for word in words)
        ran = await host.run(_spec(host, target, argv), HELP_TIMEOUT_S)
    finally:
        await host.dismiss()
        await host.close()
    found = {} if isinstance(ran, NotStarted) or ran.code is None else flags_in(ran.output)
    if not found:
        raise BadFileError(f"{' '.join(argv)!r} prints no flags on the host of {target.name!r}; correct sources.help")
    return found, f"defaults by {' '.join(words)}"


def _python(target: Target) -> str:
    return sys.executable if target.host is None else target.host.python


def _spec(host: Host, target: Target, argv: tuple[str, ...]) -> ServerSpec:
    home = host.home
    cwd = home if home is not None else Path("/")
    env = environment(target, None, None if home is None else str(home))
    return ServerSpec("help", argv, env, cwd, NEVER_READY, HELP_TIMEOUT_S, 1.0)


async def _in_force(state: Path, target: Target) -> tuple[Mapping[str, str], str]:
    """What the running engine says of itself; nothing, and why, where production does not answer as itself."""
    seen = await attest(target, state)
    if seen.url is None or seen.running is NOTHING_SEEN:  # it does not run, or somebody else answers in its place
        return {}, "production does not answer as itself, so nothing is known to be in force"
    async with onlooker(state, target) as looking:
        production = await looking.production()
        log = await looking.read_log(production.held) if production.held else ""
        report = await ADAPTERS[target.adapter].report(seen.url, log)
    said = {name: text(value) for name, value in report.effective.items()}
    return blanks_over(target, production).whole(said), "in force by its own log and report"
