"""Profiling: one launch under an instrument, one file a process, then the same launch without it (lesson S6b).

The numbers of a launch under an instrument are nobody's: nothing of it is recorded as a trial. Production is away for
two launches and comes back as after any run.
"""

import asyncio
import re
import secrets
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from harness.hosts.host import Host
from harness.lease import Lease, LeaseHeld
from harness.vocabulary.arm import Arm
from harness.vocabulary.base import BadFileError
from harness.vocabulary.criteria import Criteria
from harness.vocabulary.outcome import Role
from harness.vocabulary.target import Target
from harness.workflow.bench import Bench
from harness.workflow.changed import run_changed
from harness.workflow.drain import Politeness, users_gone
from harness.workflow.ending import certainly
from harness.workflow.launch_values import LaunchOutcome, LaunchRequest
from harness.workflow.order import Order
from harness.workflow.present import program_gone
from harness.workflow.production import Down, state_dir
from ledger.store import Ledger

# %p is the instrument's own sign for the process id; {folder} is where the files go, on the target's host. Nsight
# Systems follows children that are forked before they exec, and takes a captured graph apart into its kernels.
NSYS = (
    *("nsys", "profile", "--output={folder}/%p", "--force-overwrite=true", "--trace=cuda,nvtx,osrt", "--sample=none"),
    *("--trace-fork-before-exec=true", "--cuda-graph-trace=node"),
)
MIN_GRACE_S = 120.0  # an instrument writes its files after the server has ended; gigabytes take a minute
PID_IN_NAME = re.compile(r"(?<!\d)(\d+)(?!\d)")


@dataclass(frozen=True)
class Question:
    """What is to be profiled, and how."""

    target: Target
    target_sha256: str
    arm: Arm | None  # none: the baseline
    instrument: Sequence[str] = NSYS
    tokens: int = 64  # of the one user's request; two lengths tell a step's cost from a one-time one (lesson M11)
    politeness: Politeness = field(default_factory=Politeness)


@dataclass(frozen=True)
class ProfileFile:
    """One file that the instrument left."""

    path: str
    bytes: int
    pid: int | None  # the process that it is of, by its name; none where the name says none


@dataclass(frozen=True)
class Profiled:
    """What came of it. It is good only if files are there and the launch without the instrument works."""

    folder: str
    files: tuple[ProfileFile, ...]
    without_file: tuple[int, ...]  # processes of the server that no file is of
    instrumented: str  # how the launch under the instrument ended
    again: str  # how the same launch without it ended
    good: bool
    sentence: str

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


@dataclass(frozen=True)
class NotProfiled:
    """Nothing was started, or production is not back; the sentence says what to do."""

    sentence: str
    down: bool = False  # whether production should be up and is not


async def profile(
    question: Question, workspace: Path, ledger: Ledger, tell: Callable[[str], None], *, take_over: bool = False
) -> Profiled | NotProfiled:
    """Take production down, launch twice, bring it back. Raises GuardianError where the host is gone.

    Raises BadFileError for an arm that the target does not allow, and for one that is code.
    """
    if question.arm is not None and (denials := question.target.denials(question.arm)):
        raise BadFileError("; ".join(denials))
    if question.arm is not None and question.arm.is_code:
        raise BadFileError(
            f"arm {question.arm.name!r} runs code that is not production's and needs a person's yes; "
            "`harness measure --approve NAME` asks for it, and nothing else runs such an arm"
        )
    run = f"profile-{secrets.token_hex(6)}"
    place = state_dir(workspace, question.target)
    lease = Lease.take(place, run, take_over=take_over)
    if isinstance(lease, LeaseHeld):
        return NotProfiled(lease.sentence)
    with lease:
        if kept := await users_gone(question.target, place, question.politeness, tell):
            return NotProfiled(kept.sentence)
        bench = await Bench.open(place, _order(question, run), workspace, ledger, take_over=take_over)
        return await _with_production_down(question, run, bench, tell)


async def _with_production_down(
    question: Question, run: str, bench: Bench, tell: Callable[[str], None]
) -> Profiled | NotProfiled:
    """Both launches; production that is not back counts for more than they, and more than a stop."""
    back: object = None
    stopped: asyncio.CancelledError | None = None
    outcome: Profiled | NotProfiled
    try:
        if (lacking := await _lacking(question, bench)) is not None:
            outcome = NotProfiled(f"{lacking}; production was not touched")
        else:
            await bench.clear()
            outcome = await _both(question, run, bench, tell)
    except asyncio.CancelledError as error:
        stopped = error
    finally:
        back = await certainly(_give_back(bench), Down)
    if isinstance(back, Down):
        return NotProfiled(back.sentence, down=True)
    if stopped is not None:
        raise stopped
    return outcome


async def _lacking(question: Question, bench: Bench) -> str | None:
    if await program_gone(question.instrument[0], bench.host, bench.cwd):
        return f"the instrument {question.instrument[0]!r} is not on the target's host; name its whole path"
    return await bench.lacking([question.arm] if question.arm else [])


async def _both(question: Question, run: str, bench: Bench, tell: Callable[[str], None]) -> Profiled:
    host = bench.host
    folder = host.state_dir / "profiles" / run
    wrapper = tuple(word.replace("{folder}", str(folder)) for word in question.instrument)
    await host.put(folder / "command.txt", ("\n".join(wrapper) + "\n").encode())
    tell("launching under the instrument")
    seen = await _launch(question, run, bench, wrapper)
    tell(f"under the instrument: {seen.sentence}")
    files = await _files(host, folder)
    tell(f"{len(files)} files; launching again without the instrument")
    again = await _launch(question, run, bench, ())
    return _profiled(str(folder), files, seen, again)


async def _launch(question: Question, run: str, bench: Bench, wrapper: tuple[str, ...]) -> LaunchOutcome:
    target = question.target
    if wrapper:
        grace_s = max(target.teardown.grace_s, MIN_GRACE_S)
        target = target.model_copy(update={"teardown": target.teardown.model_copy(update={"grace_s": grace_s})})
    request = LaunchRequest(
        launch=f"{run}.{'instrumented' if wrapper else 'again'}",
        run=run,
        block=0,
        attempt=1,
        position=0 if wrapper else 1,
        role=Role.ARM if question.arm else Role.BASELINE,
        arm=question.arm,
        prompt_seed=1,
        cwd=bench.cwd,
        wrapper=wrapper,
    )
    return await run_changed(request, target, _criteria(question.tokens), bench.host, (), lambda event: None)


async def _files(host: Host, folder: Path) -> tuple[ProfileFile, ...]:
    listed = await host.look({"ask": "files", "folder": str(folder)})
    return tuple(
        ProfileFile(str(folder / one["name"]), one["bytes"], _pid_of(one["name"]))
        for one in listed
        if one["name"] != "command.txt"
    )


def _profiled(folder: str, files: tuple[ProfileFile, ...], seen: LaunchOutcome, again: LaunchOutcome) -> Profiled:
    held = {one.pid for one in files if one.bytes}
    without = tuple(pid for pid in seen.pids if pid not in held)
    good = bool(held) and again.usable
    said = (
        f"{len(files)} files in {folder!r}, {len(seen.pids) - len(without)} of {len(seen.pids)} processes by their id"
    )
    if not files:
        said = f"the instrument left no file in {folder!r}; its words are in the server's log: {seen.sentence}"
    after = "the server works without it" if again.usable else f"without it the server does not work: {again.sentence}"
    return Profiled(folder, files, without, seen.sentence, again.sentence, good, f"{said}; {after}")


def _pid_of(name: str) -> int | None:
    found = PID_IN_NAME.findall(name)
    return int(found[0]) if found else None


def _criteria(tokens: int) -> Criteria:
    """A short load of one user: a profile shows where time goes, it measures nothing."""
    value = {
        "schema": 1,
        "blocks": 2,
        "level": 0.05,
        "ladder": {"steps": [1], "tokens": tokens},
        "primary": {"metric": "total_tok_s", "load": 1, "smallest_effect_pct": 1},
        "numerics": {"policy": "identical"},
    }
    return Criteria.from_mapping(value, "the profile's load")


def _order(question: Question, run: str) -> Order:
    """What a bench wants to know of an order: the target and the run's name; nothing of it is planned."""
    return Order.model_construct(
        run=run,
        target=question.target,
        target_sha256=question.target_sha256,
        criteria=_criteria(question.tokens),
        arms=(),
        seed=0,
    )


async def _give_back(bench: Bench) -> object:
    """Production back and proven where it was up, then the guardian's switch disarmed."""
    try:
        return await bench.restore() if bench.wanted else None
    finally:
        await bench.close()
