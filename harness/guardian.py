"""The guardian starts every server on this host, reaps their orphans, and brings production back when it must.

Standard library, `servers.py`, `probation.py`, `procfs.py`, `overlay/` only: copied to another host they run as `python
-m harness.guardian serve STATE_DIR`. It knows no measurements; outside STATE_DIR it changes only an arm's files.

Protocol: JSON lines over STATE_DIR/guardian.sock; {"id", "op", ...} gets {"id", "result"} or {"id", "error"}.
  at once:  hello, heartbeat, production
  in order: begin {run, heartbeat_timeout_s}, end, start {spec}, stop {held, grace_s}, apply {label, changes}, undo,
            set_production {spec}, try_production {spec}, settle_production {keep}, take_down, bring_back,
            stop_production, dismiss
After `begin`, a closed connection or a missing heartbeat stops every arm and starts production if it is wanted.
Files: production.json (spec, wanted, the running one), guardian.json (who serves), journal.jsonl, logs/, undo*.
"""

import fcntl
import json
import os
import selectors
import socket
import sys
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.overlay.steps import Json, Refused, Steps
from harness.probation import put_back, restore, settle_production, sweep, try_production
from harness.procfs import json_of, start_time, unusable
from harness.servers import PRODUCTION, PROTOCOL, Servers

PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h
IDLE_EXIT_S = 10.0  # with nobody connected and nothing to guard
LARGEST_MESSAGE = 4_000_000  # bytes; a longer line is not from a harness


@dataclass(eq=False)
class Peer:
    """One connection; `run` is set between begin and end."""

    sock: socket.socket
    unread: bytes = b""
    run: str = ""
    timeout_s: float = 15.0
    deadline: float = 0.0


class Guardian:
    """One state directory's dead-man switch and queue of requests; everything happens in the thread of `serve`."""

    def __init__(self, servers: Servers, listener: socket.socket) -> None:
        """Become the subreaper; the first job is to sweep up after an earlier guardian."""
        if servers.libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
            raise OSError("this kernel knows no child subreaper (Linux 3.4 and later do)")
        self.servers, self.listener = servers, listener
        self.me = {"pid": os.getpid(), "start_time": start_time(os.getpid())}
        self.peers: list[Peer] = []
        self.dismissed = False
        self.jobs: deque[tuple[Peer | None, Any, Steps]] = deque([(None, None, sweep(servers))])
        self.selector = selectors.DefaultSelector()
        self.selector.register(listener, selectors.EVENT_READ, self.accept)

    def serve(self) -> None:
        """Answer until nobody is connected and there is nothing to guard."""
        servers, state = self.servers, self.servers.state
        servers.wrote("guardian.json", self.me)
        adopted = "production runs and is adopted" if servers.up() else "production does not run"
        servers.journal("guardian_started", adopted, servers.record["held"])
        busy_at = time.monotonic()
        while not self.dismissed and time.monotonic() - busy_at < IDLE_EXIT_S:
            for ready, _ in self.selector.select(0.02 if self.jobs else 0.25):
                ready.data()
            with suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            for peer in [peer for peer in self.peers if peer.run and time.monotonic() > peer.deadline]:
                self.lost(peer, f"no heartbeat for {peer.timeout_s:g} s")
            self.advance()
            if servers.unsaved:
                servers.save()
            if not self.jobs and servers.restart_due():
                self.jobs.append((None, None, servers.bring_back()))
            if self.peers or self.jobs or self.needed():
                busy_at = time.monotonic()
        for name in ("guardian.sock", "guardian.json"):
            (state / name).unlink(missing_ok=True)

    def needed(self) -> bool:
        """Whether there is a server to guard."""
        return bool(self.servers.arms or self.servers.record["wanted"] or self.servers.up())

    def accept(self) -> None:
        """A new connection."""
        peer = Peer(self.listener.accept()[0])
        peer.sock.setblocking(False)
        self.peers.append(peer)
        self.selector.register(peer.sock, selectors.EVENT_READ, lambda: self.hear(peer))

    def hear(self, peer: Peer) -> None:
        """Read what a connection sent."""
        try:
            data = peer.sock.recv(1 << 16)
            *lines, peer.unread = (peer.unread + data).split(b"\n")
            if not data or len(peer.unread) > LARGEST_MESSAGE:
                self.lost(peer, "a message is too long" if data else "the connection closed")
            for line in lines:
                self.handle(peer, json_of(line))
        except BlockingIOError:
            pass
        except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
            self.lost(peer, f"it could not be understood ({error!r})")

    def handle(self, peer: Peer, message: Json) -> None:
        """Answer a query at once; whatever changes something waits its turn."""
        op, number, servers = message["op"], int(message["id"]), self.servers
        if peer not in self.peers:
            return
        if op == "heartbeat":
            peer.deadline = time.monotonic() + peer.timeout_s
            self.answer(peer, number, result=None)
        elif op == "hello":
            runs = [other.run for other in self.peers if other.run]
            self.answer(peer, number, result={**self.me, "protocol": PROTOCOL, "runs": runs})
        elif op == PRODUCTION:
            self.answer(peer, number, result=servers.record | ({} if servers.up() else {"held": None}))
        elif op not in OPERATIONS:
            self.answer(peer, number, error=f"{op!r} is not an operation of this guardian")
        else:
            if op == "stop_production" and not self.elsewhere(peer):
                servers.save(wanted=False)  # at once, so that a start in progress gives way
            self.jobs.append((peer, number, OPERATIONS[op](self, peer, message)))

    def answer(self, peer: Peer | None, number: Any, **body: Any) -> None:
        """Reply to one request, if whoever asked is still there."""
        if peer is not None and peer in self.peers:
            try:
                peer.sock.sendall(json.dumps({"id": number, **body}).encode() + b"\n")
            except OSError as error:
                self.lost(peer, f"it cannot be answered ({error!r})")

    def lost(self, peer: Peer, why: str) -> None:
        """The dead-man switch: a connection is gone. Its arms end; if it was in a run, production comes back."""
        if peer not in self.peers:
            return
        self.peers.remove(peer)
        self.selector.unregister(peer.sock)
        peer.sock.close()
        self.jobs = deque(job for at, job in enumerate(self.jobs) if at == 0 or job[0] is not peer)
        if peer.run:
            self.servers.journal("harness_lost", f"run {peer.run}: {why}", self.servers.record["held"])
        self.jobs.append((None, None, self.clear(peer, bool(peer.run))))
        if peer.run:
            self.jobs.append((None, None, restore(self.servers)))  # a job of its own: the other's fault cannot stop it

    def clear(self, peer: Peer, everything: bool) -> Steps:
        """End the arms of a lost connection; after a run, whatever is not production."""
        yield from self.servers.stop_arms(lambda arm: everything or arm["owner"] is peer)
        if everything:
            yield from self.servers.end(lambda label: label != PRODUCTION, {}, 0.0)
            yield from self.servers.overlays.undo()

    def advance(self) -> None:
        """One step of the job at the head of the queue."""
        if not self.jobs:
            return
        (peer, number, steps), body = self.jobs[0], Json()
        try:
            next(steps)
            return
        except StopIteration as done:
            body["result"] = done.value
        except Refused as refusal:
            body["error"] = str(refusal)
        except Exception as error:  # the guardian outlives its own faults: production depends on it
            body["error"] = f"the guardian met a fault: {error!r}"
            self.servers.journal("fault", repr(error))
        self.jobs.popleft()
        self.answer(peer, number, **body)

    def elsewhere(self, peer: Peer) -> str:
        """The run that another connection has begun, or an empty string."""
        return next((other.run for other in self.peers if other.run and other is not peer), "")

    def refuse_elsewhere(self, peer: Peer) -> None:
        """Two that handle production at once would measure beside a server that the other one started."""
        if run := self.elsewhere(peer):
            raise Refused(f"run {run!r} is being measured here; wait until it ends")

    def begin(self, peer: Peer, message: Json) -> Steps:
        """Arm the dead-man switch for this connection."""
        yield
        self.refuse_elsewhere(peer)
        peer.run, peer.timeout_s = str(message["run"]), float(message["heartbeat_timeout_s"])
        peer.deadline = time.monotonic() + peer.timeout_s

    def end(self, peer: Peer, message: Json) -> Steps:
        """Disarm it. Arms still running end first; the watch then brings back a production that is wanted."""
        if peer.run:
            yield from self.servers.stop_arms(lambda arm: True)
            peer.run = ""  # first: what fails below must not keep the switch armed
            yield from put_back(self.servers)
            self.servers.down = False
            yield from self.servers.overlays.undo()

    def start(self, peer: Peer, message: Json) -> Steps:
        """Start an arm for this connection."""
        return (yield from self.servers.start(message["spec"], peer))

    def stop(self, peer: Peer, message: Json) -> Steps:
        """End an arm."""
        return (yield from self.servers.stop(message["held"], float(message["grace_s"])))

    def set_production(self, peer: Peer, message: Json) -> Steps:
        """Record what production is; a running one goes on as it is until it is next started."""
        yield
        if message["spec"]["label"] != PRODUCTION:
            raise Refused(f"production's label is {PRODUCTION!r}, not {message['spec']['label']!r}")
        self.servers.save(spec=message["spec"])

    def take_down(self, peer: Peer, message: Json) -> Steps:
        """End production for a run; only after begin, so that it comes back whatever happens to the harness."""
        if not peer.run:
            raise Refused("begin a run before production is taken down: only then does it come back by itself")
        return (yield from self.servers.take_down())

    def bring_back(self, peer: Peer, message: Json) -> Steps:
        """Start production if it does not run, and wait until it is ready; never beside somebody else's run."""
        self.refuse_elsewhere(peer)
        self.servers.save(wanted=True)
        self.servers.restarts.clear()
        return (yield from self.servers.bring_back())

    def stop_production(self, peer: Peer, message: Json) -> Steps:
        """A person's command: production is not wanted any more. Not during a run, which would bring it back."""
        self.refuse_elsewhere(peer)
        self.servers.save(wanted=False)
        return (yield from self.servers.take_down())

    def dismiss(self, peer: Peer, message: Json) -> Steps:
        """Leave now instead of when idle; refused while there is anything to guard or anybody else is connected."""
        yield
        self.dismissed = not self.needed() and self.peers == [peer] and len(self.jobs) == 1
        return self.dismissed

    def apply(self, peer: Peer, message: Json) -> Steps:
        """Change files for an arm; only in a run, which ends with all of them changed back."""
        if not peer.run or self.servers.up():
            raise Refused("begin a run and take production down before files are changed for an arm")
        return (yield from self.servers.overlays.apply(str(message["label"]), message["changes"]))

    def undo(self, peer: Peer, message: Json) -> Steps:
        """Change back what was changed, and check it."""
        self.refuse_elsewhere(peer)
        return (yield from self.servers.overlays.undo())


RUN, SERVERS = ("begin", "end", "start", "stop", "apply", "undo"), ("take_down", "bring_back", "stop_production")
NAMES = (*RUN, *SERVERS, "set_production", "dismiss")
OPERATIONS: dict[str, Callable[[Guardian, Peer, Json], Steps]] = {name: getattr(Guardian, name) for name in NAMES}
OPERATIONS |= {"try_production": try_production, "settle_production": settle_production}


def serve(state: Path) -> int:
    """Become the one guardian of a state directory and leave the caller's session; returns in the caller."""
    state.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.chdir(state)  # a socket's path must be short
    lock = os.open("guardian.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        sys.stderr.write(f"another guardian already serves {str(state)!r}; connect to it instead\n")
        return 1
    try:
        servers = Servers(state)
    except (ValueError, TypeError, KeyError) as error:
        sys.stderr.write(f"{unusable(state, error)}\n")
        return 1
    Path("guardian.sock").unlink(missing_ok=True)  # only the holder of the lock may: it is stale
    listener = socket.socket(socket.AF_UNIX)
    listener.bind("guardian.sock")
    listener.listen(16)
    if os.fork():
        return 0
    os.setsid()
    if os.fork():
        os._exit(0)
    log = os.open("guardian.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for to, source in ((0, os.open(os.devnull, os.O_RDONLY)), (1, log), (2, log)):
        os.dup2(source, to)
    Guardian(servers, listener).serve()
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] != "serve":
        sys.exit("usage: python -m harness.guardian serve STATE_DIR")
    sys.exit(serve(Path(sys.argv[2]).resolve()))
