"""A run on another machine, over a link that starts real processes in another home; over a real sshd in `system`."""

import asyncio
import json
import os
import socket
import sys
import tomllib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pytest

from harness import __version__, procfs
from harness.hosts.local import LocalHost
from harness.hosts.ssh_link import Channel, Finished, SshLink, UnreachableError
from harness.vocabulary.target import OtherHost, Target
from harness.workflow.detached import Terms
from harness.workflow.drain import Politeness, WhenBusy
from harness.workflow.events import MeasureEvent
from harness.workflow.far_run import FarFailed, ask, begin, fetch, target_files, watch
from harness.workflow.fetch import Fetched, NotFetched
from harness.workflow.night import Hours
from harness.workflow.order import Order
from harness.workflow.production import Occasion, bring_up, production_spec, take_down
from harness.workflow.receive import packed, receive
from harness.workflow.run_files import FarRun, RunFiles, Runner
from harness.workflow.status import RunState, run_status
from ledger.entries import RunEnd, Trial, Verdict
from ledger.store import Ledger
from ledger.verify import verify
from tests.harness.hosts.sshd import NAME, a_sshd
from tests.harness.workflow.bench_yard import TARGET, BenchYard

HERE = Path(__file__).resolve().parents[3]
FOLDER = "bench"


@dataclass
class Home:
    """A login's home that this process reaches without ssh; each command is a real process there."""

    folder: Path
    name: str = "gpu1"
    started: list[tuple[str, ...]] = field(default_factory=list)
    cuts: int = 0  # so many links are lost after their first line

    async def open(self, name: str) -> "Home":
        if name != self.name:
            raise UnreachableError(f"{name!r} did not answer")
        return self

    async def run(self, argv: tuple[str, ...], stdin: bytes, timeout_s: float) -> Finished:
        self.started.append(argv)
        process = await self._start(argv)
        async with asyncio.timeout(timeout_s):
            out, err = await process.communicate(stdin)
        return Finished(process.returncode, out, err.decode().strip())

    async def process(self, argv: tuple[str, ...]) -> Channel:
        process = await self._start(argv)
        return Channel(Cut(process, self), process.stdin)

    async def close(self) -> None:
        """Nothing is held."""

    async def _start(self, argv: tuple[str, ...]) -> asyncio.subprocess.Process:
        env = {**os.environ, "HOME": str(self.folder), "PYTHONPATH": str(HERE)}
        pipe = asyncio.subprocess.PIPE
        return await asyncio.create_subprocess_exec(
            *argv, cwd=self.folder, env=env, stdin=pipe, stdout=pipe, stderr=pipe
        )


@dataclass
class Cut:
    """Reads a process's lines; the link may be lost after the first."""

    process: asyncio.subprocess.Process
    home: Home
    lines: int = 0

    async def readline(self) -> bytes:
        if self.lines and self.home.cuts:
            self.home.cuts -= 1
            self.process.kill()
            await self.process.wait()
            raise OSError("the link is gone")
        assert self.process.stdout is not None
        line = await self.process.stdout.readline()
        self.lines += 1
        if not line:
            await self.process.wait()
        return line


@dataclass
class Answering:
    """A link to a machine with the same harness, which takes the parcel and gives this answer, or none at all."""

    answer: Finished | BaseException
    name: str = "gpu1"

    async def open(self, name: str) -> "Answering":
        return self

    async def run(self, argv: tuple[str, ...], stdin: bytes, timeout_s: float) -> Finished:
        if argv[-1] == "version":
            return Finished(0, __version__.encode(), "")
        assert json.loads(stdin)["folder"] == FOLDER, "the parcel is delivered"
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer

    async def process(self, argv: tuple[str, ...]) -> Channel:
        raise NotImplementedError

    async def close(self) -> None:
        """Nothing is held."""


def refusal(**more: Any) -> Finished:
    """What `receive` says where it does not begin."""
    return Finished(1, json.dumps({"error": "leased by somebody", **more}).encode(), "")


def far_order(where: Path, **host: Any) -> Order:
    """The yard's order for a target on the other machine, whose file lies in the workspace."""
    table = {"ssh": "gpu1", "folder": FOLDER, "python": sys.executable} | host
    (where / "targets").mkdir(exist_ok=True)
    (where / "targets" / "small.toml").write_text('name = "small"\n[host]\nssh = "gpu1"\n\n[planning]\nstart_s = 1\n')
    order = BenchYard(where).order()
    return order.model_copy(update={"target": Target.from_mapping(TARGET | {"host": table}, "t")})


@asynccontextmanager
async def far_production(home: Path) -> AsyncIterator[LocalHost]:
    """Production over there, as `harness start` over ssh leaves it."""
    place, target = home / FOLDER / "targets" / "small", Target.from_mapping(TARGET, "t")
    host = await LocalHost.open(place)
    await host.set_production(production_spec(target, home))
    with Ledger.open(home / "there.db", actor="test", create=True) as ledger:
        await bring_up(host, ledger, Occasion(target, "test"))
        await host.close()
        try:
            yield host
        finally:
            host = await LocalHost.open(place)
            await take_down(host, ledger, Occasion(target, "test"))
            await host.dismiss()
            await host.close()


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """The workspace of this side."""
    (tmp_path / "here").mkdir()
    return tmp_path / "here"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """The login's home of the other side."""
    (tmp_path / "home").mkdir()
    return Home(tmp_path / "home")


@pytest.mark.system
async def test_a_run_goes_there_is_watched_over_a_lost_link_and_its_record_comes_home(here: Path, home: Home) -> None:
    order, events = far_order(here), list[MeasureEvent]()
    files = RunFiles.of(here, order.run)
    async with far_production(home.folder):
        said = await begin(here, order, Terms(politeness=Politeness(users_accept=True)), home.open)
        assert not isinstance(said, FarFailed), said
        assert said["run"] == order.run and said["workspace"] == str(home.folder / FOLDER / "workspace")
        assert RunFiles.of(Path(said["workspace"]), order.run).runner() is not None
        far = FarRun.of(files)
        assert far == FarRun(order.run, "small", "gpu1", FOLDER, sys.executable)
        away = run_status(here, order.run, None)
        assert away is not None and away.state is RunState.AWAY and "sent to gpu1" in away.sentence
        home.cuts = 1
        await watch(far, home.open, events.append)
        assert home.cuts == 0
        assert [event.what for event in events].count("plan") == 1  # nothing is told twice
        assert events[-1].what == "end"
        seen = await ask(far, home.open, "status", order.run, "--json")
        assert not isinstance(seen, FarFailed) and seen["state"] == "ended"
        late = await ask(far, home.open, "stop", order.run)
        assert isinstance(late, FarFailed) and "is not under way here" in late.sentence
        with Ledger.open(here / "records.db", actor="test", create=True) as ledger:
            got = await fetch(far, here, home.open, ledger)
            assert isinstance(got, Fetched), got
            assert got.end is not None and len(got.verdicts) == len(ledger.of(Verdict)) > 0
            trials = {entry.id for entry, _ in ledger.of(Trial)}
            assert trials and {trial for verdict in got.verdicts for trial in verdict.trials} <= trials
            again = await fetch(far, here, home.open, ledger)
            assert again == got and len(ledger.of(RunEnd)) == 1
    assert verify(here / "records.db").ok
    assert files.words.exists() and files.events.read_bytes().count(b"\n") >= len(events)
    assert list((home.folder / FOLDER / "workspace" / ".committee").glob("copy-*")) == []


@pytest.mark.system
async def test_an_unfinished_record_is_not_brought(here: Path, home: Home) -> None:
    order = far_order(here)
    said = await begin(here, order, Terms(), home.open)
    assert not isinstance(said, FarFailed), said
    far = FarRun.of(RunFiles.of(here, order.run))
    assert far is not None
    stopped = await ask(far, home.open, "stop", order.run, "--now")
    assert not isinstance(stopped, FarFailed) and "breaks its block off" in stopped["said"]
    await watch(far, home.open, lambda event: None)
    with Ledger.open(here / "records.db", actor="test", create=True) as ledger:
        got = await fetch(far, here, home.open, ledger)
        assert isinstance(got, NotFetched | FarFailed)
        assert ledger.of(RunEnd) == [] and ledger.head() is None


async def test_a_harness_that_is_not_installed_there_is_said_with_the_way(here: Path, home: Home) -> None:
    bare = home.folder / "python"
    bare.write_text("#!/bin/sh\necho 'No module named harness' >&2\nexit 1\n")
    bare.chmod(0o755)
    outcome = await begin(here, far_order(here, python="./python"), Terms(), home.open)
    assert isinstance(outcome, FarFailed)
    wheel = f"committee-{__version__}-py3-none-any.whl"
    way = ("pip wheel --no-deps .", f"scp {wheel} gpu1:", f"committee/bin/pip install ./{wheel}'")
    for words in ("not installed for './python' on 'gpu1'", "No module named harness", *way):
        assert words in outcome.sentence
    bare.write_text("#!/bin/sh\necho 9.9.9\n")
    outcome = await begin(here, far_order(here, python="./python"), Terms(), home.open)
    assert isinstance(outcome, FarFailed) and f"is '9.9.9' and this one '{__version__}'" in outcome.sentence
    assert FarRun.of(RunFiles.of(here, far_order(here).run)) is None


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (
            UnreachableError("the link is gone"),
            "the link is gone; whether it began there is not known: 'harness status",
        ),
        (Finished(None, b"", ""), "gpu1: it ended with None; whether it began there is not known"),
        (refusal(under_way=True), "gpu1: leased by somebody"),
        (KeyboardInterrupt(), None),
    ],
)
async def test_a_run_that_may_go_on_there_is_known_here(
    here: Path, answer: Finished | BaseException, said: str | None
) -> None:
    order = far_order(here)
    files = RunFiles.of(here, order.run)
    if said is None:
        with pytest.raises(KeyboardInterrupt):
            await begin(here, order, Terms(), Answering(answer).open)
    else:
        outcome = await begin(here, order, Terms(), Answering(answer).open)
        assert isinstance(outcome, FarFailed) and outcome.sentence.startswith(said)
    for _ in range(2):
        assert FarRun.of(files) == FarRun(order.run, "small", "gpu1", FOLDER, sys.executable)
        assert Order.from_json(files.order) == order and files.order.stat().st_mode & 0o777 == 0o600
        seen = run_status(here, order.run, None)
        assert seen is not None and (seen.state, seen.target) == (RunState.AWAY, "small")
        again = await begin(here, order, Terms(), Answering(refusal()).open)  # says nothing about the first time
        assert again == FarFailed("gpu1: leased by somebody")


async def test_what_is_sent_once_more_begins_on_the_same_terms(here: Path) -> None:
    """Typed as told; a stale lease is taken over by a word that a person says then, not by one from before."""
    order = far_order(here)
    terms = Terms(Hours.of("02:00-06:00", True), Politeness(WhenBusy.DRAIN, 300, True), take_over=True, stricter=True)
    words = "--window 02:00-06:00 --once --when-busy drain --drain-limit-s 300 --users-accept --stricter"
    again = f"harness measure --order {RunFiles.of(here, order.run).order} --detach {words}"
    for answer in (UnreachableError("the link is gone"), Finished(None, b"", "")):
        outcome = await begin(here, order, terms, Answering(answer).open)
        assert isinstance(outcome, FarFailed) and outcome.sentence.endswith(
            f" asks there, and `{again}` sends it once more"
        )


async def test_a_run_that_is_refused_there_leaves_nothing_here(here: Path) -> None:
    order = far_order(here)
    assert isinstance(await begin(here, order, Terms(), Answering(refusal(under_way=False)).open), FarFailed)
    assert not RunFiles.of(here, order.run).folder.exists()


def test_an_order_of_a_run_that_goes_on_there_is_refused_with_that_word(here: Path, tmp_path: Path) -> None:
    order, pid = far_order(here), os.getppid()
    files = RunFiles.of(tmp_path / FOLDER / "workspace", order.run)
    files.folder.mkdir(parents=True)
    alive = Runner(order.run, "small", pid, procfs.start_time(pid), procfs.boot_id(), socket.gethostname(), 1.0)
    procfs.write_atomically(files.folder / "runner.json", asdict(alive))
    said = receive(packed(order, {}, FOLDER, Terms()), tmp_path)
    assert "is under way already" in said["error"] and said["under_way"] is True


async def test_nobody_there(here: Path, home: Home) -> None:
    with pytest.raises(UnreachableError, match="did not answer"):
        await begin(here, far_order(here, ssh="gpu2"), Terms(), home.open)


async def test_an_error_told_there_as_json_is_a_sentence_here(home: Home) -> None:
    said = home.folder / "harness-there"
    said.write_text('#!/bin/sh\necho \'{"error": "there is no run"}\'\nexit 1\n')
    said.chmod(0o755)
    found = await ask(FarRun("measure-x", "small", "gpu1", FOLDER, str(said)), home.open, "status", "--json")
    assert found == FarFailed("gpu1: there is no run")


def test_what_is_sent_leads_nowhere_else(here: Path) -> None:
    order = far_order(here)
    files = target_files(here, "small")
    assert tomllib.loads(files["small.toml"]) == {"name": "small", "planning": {"start_s": 1}}
    parcel = packed(order, files, FOLDER, Terms())
    assert Order.model_validate_json(parcel.order).target.host is None
    assert order.target.host == OtherHost(ssh="gpu1", folder=FOLDER, python=sys.executable)


def test_another_version_is_not_received(here: Path, tmp_path: Path) -> None:
    assert packed(far_order(here), {}, FOLDER, Terms(stricter=True)).stricter, "a person's word goes over"
    parcel = packed(far_order(here), {}, FOLDER, Terms())
    said = receive(type(parcel)(**vars(parcel) | {"version": "9.9.9"}), tmp_path)
    assert "this one 9.9.9" in said["error"] and not (tmp_path / FOLDER).exists()


def test_what_is_received_is_readable_by_its_own_account_only(here: Path, tmp_path: Path) -> None:
    env = {"env": {"HF_TOKEN": "hf_notarealone"}, "private": ("HF_TOKEN",)}
    order = far_order(here)
    target = order.target.model_copy(update={"baseline": order.target.baseline.model_copy(update=env)})
    parcel = packed(
        order.model_copy(update={"target": target}), {"small.private.toml": "hf_notarealone"}, FOLDER, Terms()
    )
    there = tmp_path / FOLDER / "workspace"
    (there / "targets").mkdir(parents=True)
    (there / "targets" / "small.private.toml").write_text("of an earlier version")
    (there / ".committee").mkdir()
    (there / ".committee" / "received.json").write_text("of an earlier version, hf_notarealone")
    broken = parcel.order.replace('"seed": 3', '"seed": -3')
    said = receive(type(parcel)(**vars(parcel) | {"order": broken}), tmp_path)
    assert said["error"].startswith("'the order that was sent': 'seed': ")
    holding = [path for path in tmp_path.rglob("*") if path.is_file() and b"hf_notarealone" in path.read_bytes()]
    assert {path.name: path.stat().st_mode & 0o777 for path in holding} == {"small.private.toml": 0o600}


@pytest.mark.system
async def test_over_a_real_sshd_that_cuts_every_connection(here: Path, tmp_path: Path) -> None:
    events = list[MeasureEvent]()
    order = far_order(here, ssh=NAME, folder=str(tmp_path / "far"))
    with a_sshd(tmp_path / "sshd") as server:

        async def opened(name: str) -> SshLink:
            return await SshLink.open(name, server.config)

        said = await begin(here, order, Terms(), opened)
        assert not isinstance(said, FarFailed), said
        far = FarRun.of(RunFiles.of(here, order.run))
        assert far is not None
        task = asyncio.ensure_future(watch(far, opened, events.append))
        while not events:  # noqa: ASYNC110 - it is told from a plain function
            await asyncio.sleep(0.05)
        assert server.cut() > 0
        await task
        assert [event.what for event in events].count("plan") == 1
        with Ledger.open(here / "records.db", actor="test", create=True) as ledger:
            assert isinstance(await fetch(far, here, opened, ledger), Fetched)
