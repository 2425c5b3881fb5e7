"""A workspace on disk with production up, `harness measure` as a real process, and what must hold after any kill."""

import asyncio
import hashlib
import json
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness import procfs
from harness.hosts.base import Production
from harness.hosts.local import LocalHost
from harness.hosts.onlooker import Onlooker
from harness.vocabulary.target import Target
from harness.workflow.attest import attest
from harness.workflow.order import Order, read_target
from harness.workflow.plan import progress_of
from harness.workflow.production import Occasion, bring_up, production_spec, state_dir, take_down
from harness.workflow.proof import production_gates
from ledger.entries import Launch, MeasuringRun, RunEnd, Verdict
from ledger.store import Ledger
from ledger.verify import verify
from tests.harness import small_server
from tests.harness.hosts.sshd import NAME, Sshd, a_sshd
from tests.harness.hosts.yard import command_line
from tests.harness.workflow.bench_yard import CRITERIA as BENCH_CRITERIA

PROJECT = Path(__file__).resolve().parents[3]
RUN = "measure-kill-000001"
BACK_S = 15.0  # on top of production's own start time: what a kill may cost at most
RUN_S = 300.0  # where a hang ends; a quiet machine needs four seconds for a whole small run
POLL_S = 0.002
TARGET = f"""\
schema = 1
name = "small"
adapter = "llamacpp"
users = 2

[baseline]
command = ["{{python}}", {json.dumps(small_server.__file__)}]
flags = {{ mode = "good", token-s = 0.001, processes = 1 }}
witness = [{{ source = "props", path = "total_slots", equals = 4 }}]

[endpoint]
port = 0
api = "completions"

[ready]
pattern = 'listening on (?P<url>http://\\S+)'
timeout_s = 20

[[armed]]
marker = "WORKER ARMED x/4"
count = 1

[allowed_flags]
token-s = {{ type = "float", min = 0, max = 1 }}

[teardown]
grace_s = 2
memory_slack_mib = 8000
memory_timeout_s = 1

[planning]
launch_sd_pct = 5
start_s = 0.3
user_tok_s = 1000
"""
CRITERIA: dict[str, Any] = BENCH_CRITERIA | {"ladder": {"steps": [1, 2], "tokens": 64, "request_timeout_s": 10}}


@dataclass(frozen=True)
class Said:
    """How a command ended."""

    code: int
    words: str


def concluded(said: Said) -> bool:
    """Whether a run came to its end: verdicts, or the machine's noise named as what voids them. Kills cause neither."""
    return said.code == 0 or "although both are the same configuration" in said.words


@dataclass
class KillYard:
    """One workspace; `start_s` is what production's start took. Order, progress and words lie outside of it."""

    root: Path
    start_s: float = 0.0
    sshd: Sshd | None = None  # the harness reaches the target over it, on this same machine

    @property
    def folder(self) -> Path:
        """The workspace."""
        return self.root / "workspace"

    @property
    def target(self) -> Target:
        """The one target, as its file is now."""
        return read_target(next((self.folder / "targets").glob("*.toml")))[0]

    @property
    def place(self) -> Path:
        """The guardian's state directory, on whichever host."""
        if self.sshd is not None:
            return self.root / "far" / "targets" / self.target.name
        return state_dir(self.folder, self.target)

    @property
    def environment(self) -> dict[str, str]:
        """A harness's: over ssh a home of its own, whose configuration and keys are the test's."""
        return dict(os.environ) | ({} if self.sshd is None else {"HOME": str(self.root / "home")})

    def write_order(self, arm: dict[str, Any], criteria: dict[str, Any], run: str = RUN) -> Path:
        """An order file for the target as it is."""
        target, sha256 = read_target(self.folder / "targets" / f"{self.target.name}.toml")
        value = {"run": run, "target": target, "target_sha256": sha256, "criteria": criteria, "seed": 3}
        path = self.root / f"{run}.json"
        path.write_text(Order.from_mapping(value | {"arms": [{"arm": arm}]}, "the order").to_json(), encoding="utf-8")
        return path

    @asynccontextmanager
    async def measuring(self, order: Path, *more: str) -> AsyncIterator[asyncio.subprocess.Process]:
        """`harness measure` in a process and session of its own; it is gone at the end."""
        self.progress.unlink(missing_ok=True)
        with (self.root / "words.txt").open("wb") as words:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "harness", "measure", "--order", str(order)),
                *("--workspace", str(self.folder), "--progress", str(self.progress), "--yes", *more),
                cwd=PROJECT,
                env=self.environment,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=words,
                stderr=words,
                start_new_session=True,
            )
        try:
            yield process
        finally:
            if process.returncode is None:
                process.kill()
            await process.wait()

    async def ended(self, process: asyncio.subprocess.Process, bound_s: float = RUN_S) -> Said:
        """The end of a measuring process, and what it printed."""
        async with asyncio.timeout(bound_s):
            code = await process.wait()
        return Said(code, " ".join((self.root / "words.txt").read_text(encoding="utf-8").split()))

    async def harness(self, *command: str) -> Said:
        """Another command of `harness`, to its end."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "harness", *command, "--workspace", str(self.folder)),
            cwd=PROJECT,
            env=self.environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        async with asyncio.timeout(RUN_S):
            words, _ = await process.communicate()
        return Said(process.returncode or 0, " ".join(words.decode().split()))

    @property
    def progress(self) -> Path:
        """The progress file of the latest start."""
        return self.root / "progress.jsonl"

    def events(self) -> list[str]:
        """What the latest start has told so far: kind and text of each event."""
        if not self.progress.exists():
            return []
        lines = self.progress.read_text(encoding="utf-8").split("\n")[:-1]
        return [f"{event['what']} {event['text']}" for event in map(json.loads, lines)]

    def record(self) -> dict[str, Any]:
        """production.json as it is now."""
        found: dict[str, Any] = json.loads((self.place / "production.json").read_text(encoding="utf-8"))
        return found

    def journal(self) -> list[str]:
        """What the guardian journalled, in order."""
        lines = (self.place / "journal.jsonl").read_text(encoding="utf-8").splitlines()
        return [json.loads(line)["what"] for line in lines]

    def newest_start_s(self) -> float:
        """What the newest start of production took, from its process to its ready line; 0 where it was up already."""
        lines = map(json.loads, (self.place / "journal.jsonl").read_text(encoding="utf-8").splitlines())
        at = {line["what"]: float(line["time"]) for line in lines}
        return max(0.0, at.get("production_up", 0.0) - at.get("production_started", 0.0))

    def marked(self, chosen: Callable[[str], bool] = bool) -> dict[int, int]:
        """pid -> start time of every process of this workspace's guardian, and what descends from them."""
        return procfs.members(procfs.state_key(self.place), chosen, {})

    def guardians(self) -> set[int]:
        """Every guardian of this workspace's target."""
        found: set[int] = set()
        for entry in os.scandir("/proc"):
            if entry.name.isdigit() and (seen := procfs.stat(int(entry.name))) and seen.runs:
                words = command_line(int(entry.name))
                if b"harness.guardian" in words and str(self.place).encode() in words:
                    found.add(int(entry.name))
        return found

    def files(self) -> dict[str, str]:
        """Every file of the workspace that a measurement has no business in, and its hash."""
        found = (path for path in self.folder.rglob("*") if path.is_file())
        outside = (path for path in found if self.folder / ".committee" not in path.parents)
        return {
            str(path): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in outside
            if not path.name.startswith("records.db")
        }

    def ledger(self) -> Ledger:
        """The workspace's ledger."""
        return Ledger.open(self.folder / "records.db", actor="test", create=True)

    async def until_back(self) -> None:
        """Production is up within its start time and `BACK_S`, after whatever the guardian still had to do.

        Its start time is what this very start took by the guardian's journal, where that is longer than the first one:
        a machine that is busy now starts everything later.
        """
        began = time.monotonic()
        async with asyncio.timeout(RUN_S):
            host = await LocalHost.open(self.place)
            try:
                await host.end()  # in order with all that a lost connection left to do; nothing by itself
                while not self._is_back(await host.production()):  # noqa: ASYNC110 - nobody tells when it is
                    await asyncio.sleep(0.02)
            finally:
                await host.close()
        took_s = time.monotonic() - began
        assert took_s < max(self.start_s, self.newest_start_s()) + BACK_S, took_s

    def _is_back(self, production: Production) -> bool:
        others = set(self.marked()) - set(self.marked(lambda label: label == "production"))
        return production.held is not None and production.url is not None and not others

    async def assert_production_is_back(self) -> None:
        """One production, one guardian, nothing else; it passes its gates and looks as its file describes it."""
        held = self.record()["held"]
        tree = procfs.members("none", bool, {held["pid"]: held["start_time"]})
        assert held["pid"] in tree and set(self.marked()) == set(tree)
        host = await LocalHost.open(self.place)
        try:
            gates = await production_gates(host, self.target)
            assert [gate.gate for gate in gates] == ["ready", "armed", "coherent"], gates
            assert all(gate.passed for gate in gates), gates
            assert len(self.guardians()) == 1
        finally:
            await host.close()
        attested = await attest(self.target.model_copy(update={"host": None}), self.place)
        assert attested.as_described, attested

    def stand(self, run: str = RUN) -> dict[int, list[Launch]]:
        """The launches of every finished block."""
        with self.ledger() as ledger:
            plans = [plan for _, plan in ledger.of(MeasuringRun, run=run)]
            done = progress_of(ledger, plans[0]).finished if plans else frozenset()
            launches = [launch for _, launch in ledger.of(Launch, run=run)]
        return {block: [launch for launch in launches if launch.block == block] for block in done}

    async def finish(self, order: Path, run: str = RUN, *, again: bool = True) -> None:
        """The same order again goes on to verdicts, or says that it ended; no finished block is repeated.

        Without `again` a run that has come to its end is not started once more only to hear so.
        """
        with self.ledger() as ledger:
            over = bool(ledger.of(RunEnd, run=run))
        if again or not over:
            await self._go_on(order, run)
        with self.ledger() as ledger:
            assert len(ledger.of(RunEnd, run=run)) == 1
            assert ledger.of(Verdict, run=run)
        self.assert_ledger_verifies()
        await self.until_back()

    async def _go_on(self, order: Path, run: str) -> None:
        stood = self.stand(run)
        async with self.measuring(order) as process:
            said = await self.ended(process)
        assert concluded(said) or "ended before" in said.words, said
        now = self.stand(run)
        assert {block: now[block] for block in stood} == stood
        if len(stood) == CRITERIA["blocks"]:  # nothing is left to measure, so production is left alone
            assert not any(event.startswith("production production is taken down") for event in self.events())

    def assert_ledger_verifies(self) -> None:
        """Nothing in the ledger is amiss."""
        found = verify(self.folder / "records.db")
        assert found.ok, found.findings


def kill(pid: int, started: int, number: int = signal.SIGKILL) -> None:
    """Signal that very process."""
    procfs.send(pid, started, number)


def kill_guardian(place: Path, number: int = signal.SIGKILL) -> None:
    """Signal whoever serves, if anybody does."""
    if (place / "guardian.json").exists():
        found = json.loads((place / "guardian.json").read_text(encoding="utf-8"))
        kill(found["pid"], found["start_time"], number)


async def until(holds: Callable[[], bool], what: str, bound_s: float = RUN_S) -> None:
    """Look often until something holds."""
    end = time.monotonic() + bound_s
    while not holds():
        assert time.monotonic() < end, f"not within {bound_s:g} s: {what}"
        await asyncio.sleep(POLL_S)


def told(yard: KillYard, beginning: str, times: int) -> Callable[[], bool]:
    """Whether so many events with that beginning were told."""
    return lambda: sum(event.startswith(beginning) for event in yard.events()) >= times


@asynccontextmanager
async def kill_yard_over_ssh(root: Path) -> AsyncIterator[KillYard]:
    """The same with a target whose host is reached over a real sshd of its own."""
    root.mkdir()
    with a_sshd(root / "sshd") as sshd:
        home = root / "home" / ".ssh"
        home.mkdir(parents=True, mode=0o700)
        (home / "config").write_text(sshd.config.read_text(encoding="utf-8"), encoding="utf-8")
        host = f"[host]\nssh = {json.dumps(NAME)}\nfolder = {json.dumps(str(root / 'far'))}\n"
        async with kill_yard(root, f"{TARGET}\n{host}python = {json.dumps(sys.executable)}\n", sshd=sshd) as yard:
            yield yard


@asynccontextmanager
async def kill_yard(
    root: Path, target: str = TARGET, name: str = "small", sshd: Sshd | None = None
) -> AsyncIterator[KillYard]:
    """A workspace with production up; empty of processes at the end."""
    yard = KillYard(root, sshd=sshd)
    (yard.folder / "targets").mkdir(parents=True)
    (yard.folder / "targets" / f"{name}.toml").write_text(target, encoding="utf-8")
    (yard.folder / "notes.txt").write_text("nobody writes here", encoding="utf-8")
    host = await LocalHost.open(yard.place)
    began = time.monotonic()
    await host.set_production(production_spec(yard.target, yard.folder if sshd is None else Path.home()))
    with yard.ledger() as ledger:
        await bring_up(host, ledger, Occasion(yard.target, "test"))
    await host.close()
    yard.start_s = time.monotonic() - began
    try:
        yield yard
    finally:
        await _sweep(yard)


async def _sweep(yard: KillYard) -> None:
    """Stop production and its guardian; whatever a failed test left is ended by pid."""
    try:
        host = await LocalHost.open(yard.place)
        with yard.ledger() as ledger:
            await take_down(host, ledger, Occasion(yard.target, "test"))
        await host.dismiss()
        await host.close()
        assert (await Onlooker(yard.place).production()).held is None
    finally:
        for pid in yard.guardians():
            kill(pid, procfs.start_time(pid))
        for pid, started in yard.marked().items():
            kill(pid, started)
