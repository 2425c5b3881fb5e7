"""The guardian's servers, started with exactly what was given, ended whole; and the production record.

Standard library, `procfs.py` and `overlay/` only. What waits is a generator that the guardian's loop steps through.
"""

import ctypes
import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from harness.overlay.steps import Json, Refused, Steps
from harness.overlay.undo import Overlays
from harness.procfs import (
    MARKER,
    available_bytes,
    available_mib,
    boot_id,
    members,
    ready_line,
    same,
    send,
    start_time,
    state_key,
)
from harness.procfs import write_atomically as write
from harness.shortened import ending

PRODUCTION = "production"
PROTOCOL = 2  # of the guardian; rises with every change of what is said over its socket
LABEL = r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}"  # becomes a file name and part of the marker
PR_SET_PDEATHSIG = 1  # linux/prctl.h
KILL_BOUND_S = 10.0  # what outlives SIGKILL by this much hangs in the kernel: say so instead of waiting on
RETRY_PAUSES_S = (0.5, 2.0)  # between attempts to start production
MEMORY_SLACK_MIB, MEMORY_BOUND_S = 256, 30.0  # memory is back within this of the level before the attempt
ROOM, ROOM_BYTES = "room", 1 << 20  # a start writes some kilobytes: the record, the journal, the server's own log
SHOWN = 300  # characters of production's last words
RESTARTS, RESTART_WINDOW_S = 3, 600.0  # a production that dies more often than this needs a person


def rooted(*held: Json | None) -> dict[int, int]:
    """pid -> start time of those that are or were there."""
    return {one["pid"]: one["start_time"] for one in held if one}


class Servers:
    """Every server of one state directory: production, which outlives a guardian, and arms, which do not."""

    def __init__(self, state: Path) -> None:
        """Read what an earlier guardian recorded; nothing is started or ended yet."""
        self.state, self.key = state, state_key(state)
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.record: Json = {"spec": None, "wanted": False, "held": None, "url": None, "boot": boot_id()}
        self.record["started_as"] = None  # the spec that `held` was started with; `spec` may have changed since
        self.record["former"] = None  # while a new production is on probation: what comes back unless that is kept
        self.record["others"] = []  # arms, and a production being ended: to find what they left, if this process dies
        self.unsaved = False
        with suppress(FileNotFoundError):
            self.record.update(json.loads((state / "production.json").read_text(encoding="utf-8")))
        if self.record["boot"] != boot_id():  # start times of another boot mean nothing here
            self.record.update(held=None, url=None, others=[], boot=boot_id())
        self.down = not self.up()  # taken down on purpose, or given up: not watched until asked
        self.arms: dict[str, Json] = {}  # label -> held, spec, owner
        self.overlays = Overlays(state, self.journal)
        self.restarts: list[float] = []

    def up(self) -> bool:
        """Whether the recorded production process still runs."""
        held = self.record["held"]
        return held is not None and same(held["pid"], held["start_time"])

    def save(self, **changes: Any) -> None:
        """Change the production record, on disk before anything is done because of it.

        A disk that cannot be written is no reason to leave production down: the guardian's loop saves it later.
        """
        self.record.update(changes)
        self.unsaved = not self.wrote("production.json", self.record)

    def wrote(self, name: str, value: Json) -> bool:
        """Write a file of the state directory; false if the disk does not take it."""
        with suppress(OSError):
            write(self.state / name, value)
            return True
        return False

    def keep_room(self) -> None:
        """Keep room on the disk for production's own log, without which it is never ready; given up for that only."""
        if available_bytes(self.state) > 2 * ROOM_BYTES:
            with suppress(OSError), (self.state / ROOM).open("wb") as out:
                os.posix_fallocate(out.fileno(), 0, ROOM_BYTES)

    def release_room(self) -> None:
        """Give the kept room up."""
        with suppress(OSError):
            (self.state / ROOM).unlink(missing_ok=True)

    def journal(self, what: str, detail: str = "", held: Json | None = None) -> None:
        """Append one line to the journal and force it to disk; nothing, where the disk takes no whole line."""
        who = held or {}
        line = {"time": time.time(), "what": what, "detail": detail, "pid": who.get("pid")}
        line |= {"start_time": who.get("start_time"), "url": self.record["url"]}
        content = json.dumps(line).encode() + b"\n"
        with suppress(OSError), (self.state / "journal.jsonl").open("ab", buffering=0) as out:
            end = out.tell()
            try:
                whole = out.write(content) == len(content)
            except OSError:
                whole = False
            if not whole:
                out.truncate(end)
            os.fsync(out.fileno())

    def sweep(self) -> Steps:
        """End what an earlier guardian left: everything marked, except a production that is the recorded one."""
        adopted = self.up()
        roots = rooted(*self.record["others"], None if adopted else self.record["held"])
        if left := members(self.key, lambda label: not (adopted and label == PRODUCTION), roots):
            self.journal("orphans_found", f"pids {sorted(left)}")
        yield from self.end(lambda label: not (adopted and label == PRODUCTION), roots, 0.0)
        self.save(others=[])
        with suppress(Refused):  # said in the journal; production is not started before it is undone
            yield from self.overlays.undo()
        self.keep_room()

    def end(self, chosen: Callable[[str], bool], roots: dict[int, int], grace_s: float) -> Steps:
        """SIGTERM to the trees and all marked processes, after the grace SIGKILL, until none is left (bounded)."""
        polite = time.monotonic() + grace_s
        known: dict[int, int] = {}
        asked: set[int] = set()
        while True:
            found = members(self.key, chosen, roots)
            known = {pid: started for pid, started in known.items() if same(pid, started)} | found
            if not known:
                return
            if time.monotonic() > polite + KILL_BOUND_S:
                self.journal("not_ended", f"pids {sorted(known)} outlive SIGKILL")
                raise Refused(f"pids {sorted(known)} outlive SIGKILL by {KILL_BOUND_S:g} s; see what they hang on")
            for pid, started in known.items():
                if time.monotonic() >= polite:
                    send(pid, started, signal.SIGKILL)
                elif pid not in asked:
                    send(pid, started, signal.SIGTERM)
            asked |= set(known)
            yield

    def spawn(self, spec: Json) -> Json:
        """Start one server in its own session, with a fresh log; only an arm dies with the guardian."""
        label, guardian = spec["label"], os.getpid()
        if not re.fullmatch(LABEL, label):
            raise Refused(f"label {label!r} must be letters, digits, '.', '_' and '-', at most 100")
        log = self.state / "logs" / f"{label}-{time.time_ns()}.log"
        log.parent.mkdir(exist_ok=True)

        def die_with_guardian() -> None:
            self.libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
            if os.getppid() != guardian:  # it died before the line above
                os._exit(1)

        with log.open("xb") as out:
            try:
                child = subprocess.Popen(
                    spec["argv"],
                    env={**dict(spec["env"]), MARKER: f"{self.key}:{label}"},
                    cwd=spec["cwd"],
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                    preexec_fn=None if label == PRODUCTION else die_with_guardian,  # noqa: PLW1509 - no threads here
                )
            except (OSError, subprocess.SubprocessError, ValueError) as error:
                raise Refused(f"{spec['argv'][0]!r} cannot be started in {spec['cwd']!r}: {error}") from error
        child.returncode = 0  # the guardian's loop reaps every child; Popen must not wait for this pid again
        return {"label": label, "pid": child.pid, "start_time": start_time(child.pid), "log": str(log)}

    def start(self, spec: Json, owner: object) -> Steps:
        """Start an arm; asked again for one that runs, it answers with that one."""
        label = spec["label"]
        if label == PRODUCTION:
            raise Refused("production is started with bring_back, not with start")
        if (old := self.arms.get(label)) and same(old["held"]["pid"], old["held"]["start_time"]):
            if old["spec"] == spec:
                return old["held"]
            raise Refused(f"{label!r} already runs with another specification; stop it first")
        self.overlays.refuse_beside(label)
        yield from self.end(lambda found: found == label, rooted(old["held"] if old else None), 0.0)
        held = self.spawn(spec)
        self.arms[label] = {"held": held, "spec": spec, "owner": owner}
        self.save(others=[arm["held"] for arm in self.arms.values()])
        return held

    def stop(self, held: Json, grace_s: float) -> Steps:
        """End an arm's whole tree; nothing happens if its label belongs to another process by now."""
        label = held["label"]
        if label == PRODUCTION:
            raise Refused("production is ended with take_down or stop_production, not with stop")
        if label in self.arms and self.arms[label]["held"] != held:
            return
        roots = rooted(held) if label in self.arms else {}  # only a pid this guardian started
        yield from self.end(lambda found: found == label, roots, grace_s)
        if self.arms.pop(label, None):
            self.save(others=[arm["held"] for arm in self.arms.values()])

    def stop_arms(self, chosen: Callable[[Json], bool]) -> Steps:
        """End the chosen arms with their own grace; what will not end is journalled and does not hold up the rest."""
        for arm in [arm for arm in self.arms.values() if chosen(arm)]:
            with suppress(Refused):
                yield from self.stop(arm["held"], arm["spec"]["grace_s"])
            self.arms.pop(arm["held"]["label"], None)

    def take_down(self) -> Steps:
        """End production, still wanted if it was. The record forgets it first: it is never adopted half dead."""
        held, was_up = self.record["held"], self.up()
        self.down = True
        grace_s = self.record["spec"]["grace_s"] if self.record["spec"] else 0.0
        self.save(held=None, url=None, others=[*self.record["others"], held] if held else self.record["others"])
        yield from self.end(lambda label: label == PRODUCTION, rooted(held), grace_s)
        self.save(others=[arm["held"] for arm in self.arms.values()])
        if was_up:
            self.journal("production_stopped", "", held)
        return held if was_up else None

    def bring_back(self) -> Steps:
        """Start production unless the recorded one runs, wait for its own ready line; a few attempts."""
        if self.record["spec"] is None:
            raise Refused(f"no production is recorded in {str(self.state)!r}; set it first")
        detail, pauses_s = "", () if self.record["former"] else RETRY_PAUSES_S  # one on probation has one attempt
        for pause_s in (*pauses_s, 0.0):
            memory_mib = available_mib()
            try:
                if not self.up():
                    yield from self.end(lambda label: label == PRODUCTION, rooted(self.record["held"]), 0.0)
                    if available_bytes(self.state) < ROOM_BYTES:
                        self.release_room()
                    yield from self.overlays.undo()
                    spec = self.record["spec"]
                    self.save(held=self.spawn(spec), started_as=spec, url=None)
                    self.journal("production_started", "", self.record["held"])
                yield from self.await_ready()
                self.down = False
                self.keep_room()
                return self.record["held"] | {"url": self.record["url"]}
            except (Refused, OSError) as refusal:  # also a log that cannot be made: the next attempt may find room
                detail = str(refusal)
                self.journal("production_not_ready", detail, self.record["held"])
            yield from self.take_down()
            if not self.record["wanted"]:
                raise Refused("production was stopped while it was starting")
            if pause_s:
                yield from self.await_memory(memory_mib, pause_s)
        self.down = True
        self.journal("restore_failed", detail)
        raise Refused(f"production did not come back in {len(pauses_s) + 1} attempts: {detail}")

    def await_ready(self) -> Steps:
        """Wait for the ready line in production's own log."""
        held, spec = self.record["held"], self.record["spec"]
        until = time.monotonic() + spec["ready_timeout_s"]
        while self.record["url"] is None:
            alive, text = self.up(), Path(held["log"]).read_text(encoding="utf-8", errors="replace")
            if alive and (found := ready_line(text, spec["ready_pattern"])):
                self.save(url=found[1] or "")
                self.journal("production_up", found[0], held)
            elif not alive or time.monotonic() > until or not self.record["wanted"]:
                why = f"was not ready in {spec['ready_timeout_s']:g} s" if alive else "ended before it was ready"
                raise Refused(f"production {why}; its log {held['log']!r} ends in {ending(text.strip(), SHOWN)!r}")
            else:
                yield

    def await_memory(self, before_mib: int, pause_s: float) -> Steps:
        """Pause, then wait until memory is back near its level before the attempt, or the time is up."""
        start = time.monotonic()
        while (waited_s := time.monotonic() - start) < MEMORY_BOUND_S:
            if waited_s >= pause_s and available_mib() >= before_mib - MEMORY_SLACK_MIB:
                return
            yield

    def restart_due(self) -> bool:
        """Whether a production that should be up has died; after too many deaths it is given up until asked."""
        if self.down or not self.record["wanted"] or self.up():
            return False
        self.journal("production_died", "", self.record["held"])
        now = time.monotonic()
        self.restarts = [at for at in self.restarts if now - at < RESTART_WINDOW_S]
        if len(self.restarts) >= RESTARTS:
            self.down = True
            self.journal("restore_failed", f"production died again after {RESTARTS} restarts in 10 minutes")
            return False
        self.restarts.append(now)
        return True
