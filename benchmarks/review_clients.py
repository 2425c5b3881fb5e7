"""The two clients of the review benchmarks, each run in a process of its own; prints one JSON line.

`python -m benchmarks.review_clients committee|bare FOLDER BASE_URL PROPOSALS REVIEWERS AT_ONCE`
"""

import asyncio
import json
import os
import resource
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import httpx2
import openai

from committee.review.openai_call import request_of
from committee.review.order import Edge
from committee.review.ordering import order_for
from committee.review.prompt import Subject
from committee.vocabulary.config import CommitteeConfig
from committee.vocabulary.proposal import FrozenRevision
from committee.workflow.desk import Desk, Measured, Measuring
from committee.workflow.several import start_all
from harness.vocabulary.target import Target
from ledger.entries import Brief, Review
from ledger.store import Ledger
from ledger.verify import verify

TARGET = Target.model_validate(
    {
        "schema": 1,
        "name": "demo",
        "adapter": "command",
        "users": 4,
        "baseline": {"command": ["true"], "flags": {"n-parallel": 1}},
        "endpoint": {"port": 0},
        "ready": {"pattern": "listening", "timeout_s": 5},
        "planning": {"launch_sd_pct": 5, "start_s": 1},
        "allowed_flags": {"n-parallel": {"type": "int", "min": 1, "max": 8}},
    }
)
HEADER = """schema = 1
id = "{0}"
title = "Which knob is real in case {0}?"
kind = "config"
target = "demo"
question = "Which knob is real?"
[budget]
money = 1000
server_minutes = 10
"""
TEXT = (
    "# Case {0}\n\nFour users share one slot.\n"
    + "A line of what was measured, with numbers like 68.24 and 154.67.\n" * 40
)
CRITERIA = """schema = 1
blocks = 2
level = 0.05
[ladder]
steps = [1, 2, 4]
tokens = 64
[primary]
metric = "total_tok_s"
load = 4
smallest_effect_pct = 10
[numerics]
policy = "identical"
"""


@dataclass(frozen=True)
class Took:
    """One round."""

    calls: int
    wall_s: float
    cpu_s: float
    peak_mib: float
    kept_mib: float


def settings(base_url: str, reviewers: int, at_once: int) -> CommitteeConfig:
    """A committee of so many reviewers at one endpoint."""
    free = {"price_in_per_mtok": 0, "price_out_per_mtok": 0}
    seats = [
        free | {"name": f"r{number}", "kind": "openai", "base_url": base_url, "model": f"m{number}", "timeout_s": 120}
        for number in range(reviewers)
    ]
    return CommitteeConfig.model_validate({"review": {"calls_per_endpoint": at_once}, "reviewer": seats})


def write_proposals(folder: Path, count: int) -> list[str]:
    """Proposal folders that differ in their words."""
    names = [f"{number % 10_000:04d}-case-{number}" for number in range(count)]
    for name in names:
        place = folder / "proposals" / name
        place.mkdir(parents=True)
        files = {"proposal.toml": HEADER, "PROPOSAL.md": TEXT, "criteria.toml": CRITERIA}
        for file, text in files.items():
            (place / file).write_text(text.replace("{0}", name), encoding="utf-8")
    return names


async def _never(_asked: Measuring) -> Measured:
    raise RuntimeError("nothing is measured in this benchmark")


def desk_of(folder: Path, config: CommitteeConfig, ledger: Ledger) -> Desk:
    """The desk of a workspace that holds proposals only."""
    return Desk(
        ledger=ledger,
        config=config,
        edge=Edge({}),
        checkpoints=folder / ".committee" / "checkpoints.db",
        folder_of=lambda proposal: folder / "proposals" / proposal,
        target_of=lambda _name: (TARGET, "f" * 64),
        measure=_never,
    )


async def committee_client(folder: Path, config: CommitteeConfig, names: list[str]) -> int:
    """Every proposal reviewed to its brief. Returns the number of calls."""
    with Ledger.open(folder / "records.db", actor="benchmark", create=True) as ledger:
        outcomes = await start_all(desk_of(folder, config, ledger), names)
    bad = [outcome for outcome in outcomes if not outcome.good]
    if bad:
        raise SystemExit(f"{len(bad)} proposals failed, the first with: {bad[0].sentence}")
    return len(names) * len(config.reviewer)


async def bare_client(config: CommitteeConfig, names: list[str], folder: Path) -> int:
    """The same calls with nothing around them."""
    base_url, at_once = config.reviewer[0].base_url, asyncio.Semaphore(config.review.calls_per_endpoint)
    text = {name: (folder / "proposals" / name / "PROPOSAL.md").read_bytes() for name in names}
    async with httpx2.AsyncClient(trust_env=False, timeout=None, limits=httpx2.Limits(max_connections=None)) as http:
        client = openai.AsyncOpenAI(api_key="no-key", base_url=base_url, max_retries=0, http_client=http)

        async def one(name: str, number: int) -> None:
            revision = FrozenRevision(name, "a" * 40, (("PROPOSAL.md", text[name]),))
            subject = Subject(revision, "Which knob?", "Which knob is real?", TARGET, (1, 2, 4), ())
            async with at_once:
                request = request_of(order_for(subject, config.reviewer[number], "0" * 12, "en"))
                answer = await client.chat.completions.create(**request)
                assert answer.choices[0].finish_reason == "stop"

        await asyncio.gather(*(one(name, number) for name in names for number in range(len(config.reviewer))))
    return len(names) * len(config.reviewer)


def checked(folder: Path, calls: int, proposals: int) -> float:
    """MiB on disk, after every entry was verified and counted."""
    assert verify(folder / "records.db").ok
    with Ledger.open(folder / "records.db", actor="benchmark") as ledger:
        assert sum(1 for _ in ledger.entries(Review.kind)) == calls
        assert sum(1 for _ in ledger.entries(Brief.kind)) == proposals
    return sum(path.stat().st_size for path in folder.glob("records.db*")) / 2**20


def main() -> None:
    """One round."""
    which, place, base_url, proposals, reviewers, at_once = sys.argv[1:]
    folder, config = Path(place), settings(base_url, int(reviewers), int(at_once))
    names = write_proposals(folder, int(proposals))
    began, before = time.perf_counter(), os.times()
    if which == "committee":
        calls = asyncio.run(committee_client(folder, config, names))
    else:
        calls = asyncio.run(bare_client(config, names, folder))
    wall_s, after = time.perf_counter() - began, os.times()
    cpu_s = after.user + after.system - before.user - before.system
    peak_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    kept_mib = checked(folder, calls, len(names)) if which == "committee" else 0.0
    print(json.dumps(asdict(Took(calls, wall_s, cpu_s, peak_mib, kept_mib))))


if __name__ == "__main__":
    main()
