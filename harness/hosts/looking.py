"""What can be seen of a host and of a server's processes, as values: the typed side of `harness.look`."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.hosts.base import Held, WatchedHost
from harness.vocabulary.arm import normal
from harness.vocabulary.target import NEVER_AN_ARMS

SECRET_FLAG = NEVER_AN_ARMS[0][0]
HIDDEN = "<hidden>"


@dataclass(frozen=True)
class Process:
    """One process of a server's tree, as the kernel shows it."""

    pid: int
    parent: int
    name: str
    argv: tuple[str, ...]  # one word where the process gave itself a title
    env: tuple[tuple[str, str | None], ...] | None  # values by allow-list, others by name; none if it cannot be read


@dataclass(frozen=True)
class LoadedObject:
    """A shared object, kernel or model file that processes of the tree have mapped."""

    path: str
    bytes: int
    sha256: str | None  # none where it was not hashed: gone, a model file, or beyond the limit
    pids: tuple[int, ...]


@dataclass(frozen=True)
class PortUse:
    """Who listens on a port."""

    listening: bool
    foreign: int  # sockets that belong to no process of the tree
    holders: tuple[str, ...]  # those processes that could be named: pid and command


@dataclass(frozen=True)
class OtherLog:
    """A log that is not the server's own and shows what was searched for."""

    path: str
    counts: tuple[int, ...]  # one for each pattern


@dataclass(frozen=True)
class Usage:
    """What one process holds; memory is its own, without pages of files."""

    pid: int
    name: str
    memory_mib: float
    descriptors: int


@dataclass(frozen=True)
class Card:
    """One accelerator card; what its driver does not tell is none."""

    index: int
    used_mib: int | None
    free_mib: int | None
    sm_mhz: int | None
    max_sm_mhz: int | None
    temperature_c: int | None
    throttling: tuple[str, ...] | None
    pids: tuple[int, ...] | None


@dataclass(frozen=True)
class MachineReading:
    """The machine at one moment. Seconds are cumulated since boot and mean something as differences."""

    at: float  # seconds since 1970
    cores: int
    busy_s: float
    stolen_s: float
    own_s: float  # of the server's tree, and of the harness where it runs there
    load_1m: float
    mhz: float | None
    max_mhz: float | None
    throttled: int | None  # times the cores were throttled since boot
    cards: tuple[Card, ...]


@dataclass(frozen=True)
class NamedCard:
    """Which card it is; what its driver does not tell is none."""

    number: int
    name: str | None
    uuid: str | None
    memory_mib: int | None  # all of it


@dataclass(frozen=True)
class MachineFacts:
    """What a machine is: numbers measured on another one, or under another driver, are of another time."""

    host: str
    kernel: str
    cpu: str  # empty where the machine does not say
    cores: int
    driver: str | None
    cards: tuple[NamedCard, ...]


async def processes(host: WatchedHost, held: Held, names: Sequence[str]) -> tuple[Process, ...]:
    """The server's processes; environment values only of `names`."""
    question = {"ask": "processes", "pids": list(await host.pids(held)), "names": list(names)}
    return tuple(_process(one) for one in await host.look(question))


async def loaded_objects(host: WatchedHost, held: Held, wanted: Sequence[str] = ()) -> tuple[LoadedObject, ...]:
    """What the server's processes have mapped; `wanted` paths are hashed whatever they are."""
    question = {"ask": "objects", "pids": list(await host.pids(held)), "wanted": list(wanted)}
    answer = await host.look(question)
    return tuple(LoadedObject(one["path"], one["bytes"], one["sha256"], tuple(one["pids"])) for one in answer)


async def missing(host: WatchedHost, program: str, search: str, cwd: str, paths: Sequence[str]) -> tuple[str, ...]:
    """Of a program and absolute paths those that are not on the host; `search` is the PATH it is started with."""
    question = {"ask": "missing", "program": program, "search": search, "cwd": cwd, "paths": list(paths)}
    return tuple(await host.look(question))


async def usage(host: WatchedHost, held: Held) -> tuple[Usage, ...]:
    """Memory and descriptors of the server's processes now."""
    answer = await host.look({"ask": "usage", "pids": list(await host.pids(held))})
    return tuple(Usage(one["pid"], one["name"], one["memory_mib"], one["descriptors"]) for one in answer)


async def port_use(host: WatchedHost, port: int, pids: Sequence[int]) -> PortUse:
    """Who listens on the port, apart from `pids`."""
    answer = await host.look({"ask": "port_use", "port": port, "pids": list(pids)})
    holders = tuple(f"pid {one['pid']} ({one['command']})" for one in answer["holders"])
    return PortUse(answer["listening"], answer["foreign"], holders)


async def free_port(host: WatchedHost, address: str) -> int:
    """A port of that host on which nobody listens now."""
    return int(await host.look({"ask": "free_port", "host": address}))


async def other_logs(host: WatchedHost, held: Held, since: float, patterns: Sequence[str]) -> tuple[OtherLog, ...]:
    """Logs other than the server's own, written to since then (seconds since 1970), that show one of the patterns."""
    pids = list(await host.pids(held))
    question = {"ask": "other_logs", "log": str(held.log), "pids": pids, "since": since, "patterns": list(patterns)}
    return tuple(OtherLog(str(Path(one["path"])), tuple(one["counts"])) for one in await host.look(question))


async def machine(host: WatchedHost, held: Held | None) -> MachineReading:
    """One reading of the machine; `held` is the server whose processes count as our own."""
    pids = list(await host.pids(held)) if held else []
    answer = await host.look({"ask": "machine", "pids": pids})
    return MachineReading(**{**answer, "cards": tuple(_card(one) for one in answer["cards"])})


async def identity(host: WatchedHost) -> MachineFacts:
    """What the machine is, its driver and its cards."""
    answer = await host.look({"ask": "identity"})
    return MachineFacts(**{**answer, "cards": tuple(NamedCard(**one) for one in answer["cards"])})


async def cards(host: WatchedHost) -> tuple[Card, ...]:
    """The host's cards; empty without one, or without the library that asks them."""
    return tuple(_card(one) for one in await host.look({"ask": "cards"}))


def _process(one: dict[str, Any]) -> Process:
    env = None if one["env"] is None else tuple((name, value) for name, value in one["env"])
    return Process(one["pid"], one["parent"], one["name"], masked(one["argv"]), env)


def masked(argv: Sequence[str]) -> tuple[str, ...]:
    """A command line whose secrets, by the names of their flags, are hidden: it is recorded and shown."""
    words: list[str] = []
    for word in argv:
        name, equals, _ = word.partition("=")
        before = words[-1] if words else ""
        if word.startswith("--") and equals and _names_a_secret(name):
            words.append(f"{name}={HIDDEN}")
        elif before.startswith("--") and "=" not in before and _names_a_secret(before) and not word.startswith("--"):
            words.append(HIDDEN)
        else:
            words.append(word)
    return tuple(words)


def _names_a_secret(flag: str) -> bool:
    return SECRET_FLAG.search(normal(flag.removeprefix("--"))) is not None


def _card(one: dict[str, Any]) -> Card:
    told = {name: None if one[name] is None else tuple(one[name]) for name in ("throttling", "pids")}
    return Card(**{**one, **told})
