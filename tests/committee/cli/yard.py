"""A workspace around the small stand-in server, whole runs in seconds, and typing commands in it."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from committee.cli.app import app as committee_app
from committee.making import init
from harness.cli.app import app as harness_app
from harness.cli.speak import guarded_main
from ledger.entries import Payload
from ledger.store import Ledger
from tests.harness import small_server

SERVER = str(Path(small_server.__file__))
PROPOSAL = "0001-quicker"
PATIENCE_S = 300  # a whole run takes about 15 s on an idle machine; a starved one was seen to need ten times that
APPS = {"committee": committee_app, "harness": harness_app}
TARGET = f"""schema = 1
name = "small"
title = "a stand-in"
adapter = "llamacpp"
users = 2
[baseline]
command = ["{{python}}", {json.dumps(SERVER)}]
flags = {{ mode = "good", token-s = 0.005 }}
[[baseline.witness]]
source = "props"
path = "total_slots"
equals = 4
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
mode = {{ type = "choice", values = ["good", "refuse", "silent"] }}
die-after = {{ type = "int", min = 0, max = 100 }}
[teardown]
grace_s = 2
memory_slack_mib = 8000
memory_timeout_s = 1
[planning]
launch_sd_pct = 5
start_s = 0.3
user_tok_s = 300
"""
HEADER = f"""schema = 1
id = "{PROPOSAL}"
title = "Which pace is real?"
kind = "config"
target = "small"
question = "How much faster is it without the pause?"
[budget]
money = 0
server_minutes = 10
"""
CRITERIA = """schema = 1
blocks = 2
level = 0.05
gates = ["ready", "armed", "isolated", "coherent"]
[ladder]
steps = [1, 2, 1]
tokens = 24
request_timeout_s = 10
[primary]
metric = "total_tok_s"
load = 2
smallest_effect_pct = 10
[numerics]
policy = "identical"
"""
COMMITTEE = """schema = 1
[review]
quorum = 2
[[reviewer]]
name = "first"
kind = "recorded"
recording = "recordings/first.json"
timeout_s = 30
[[reviewer]]
name = "second"
kind = "recorded"
recording = "recordings/second.json"
timeout_s = 30
"""


def arm_toml(name: str, flag: str = "token-s", value: object = 0.0005) -> str:
    """An arm's file: one flag, and the server's own line about its pace as witness, or any line for another flag."""
    head = f'schema = 1\nname = "{name}"\n[flags]\n{flag} = {json.dumps(value)}\n'
    seen = f"token_s = {value}" if flag == "token-s" else "listening on"
    return f'{head}[[witness]]\nsource = "log"\npattern = "{seen}"\n'


def recording(name: str, pace: float) -> str:
    """A recorded review that proposes one pace."""
    predicted = {"metric": "total_tok_s", "load": 2, "direction": "up", "low_pct": 20, "high_pct": 500}
    witness = [{"source": "log", "pattern": f"token_s = {pace}"}]
    hypothesis = {
        "mechanism": "the server waits between tokens",
        "predicted": predicted,
        "falsifier": "the total stays within 10 percent",
        "citations": [],
        "arm": {"name": name, "title": "", "flags": {"token-s": pace}, "env": {}, "witness": witness},
    }
    answer = {"proposal": PROPOSAL, "count": 1, "hypotheses": [hypothesis]}
    return json.dumps({"label": "recorded", "model": "written for this test", "answer": answer})


def make(folder: Path) -> Path:
    """A committed workspace with the small target, one proposal and two recorded reviewers."""
    place = init(folder).folder
    proposal = place / "proposals" / PROPOSAL
    (proposal / "arms").mkdir(parents=True)
    (place / "recordings").mkdir()
    for path, text in (
        (place / "targets" / "small.toml", TARGET),
        (place / "committee.toml", COMMITTEE),
        (place / "recordings" / "first.json", recording("no-pause", 0.0005)),
        (place / "recordings" / "second.json", recording("long-pause", 0.009)),
        (proposal / "proposal.toml", HEADER),
        (proposal / "PROPOSAL.md", "# A pause\n\nThe server waits between tokens.\n"),
        (proposal / "criteria.toml", CRITERIA),
        (proposal / "arms" / "fast.toml", arm_toml("fast")),
    ):
        path.write_text(text, encoding="utf-8")
    return place


@dataclass(frozen=True)
class Said:
    """What a command ended with."""

    code: int
    out: str
    err: str


def typed(workspace: Path, program: str, *words: str) -> Said:
    """A command through its real border, in this process. The workspace is named unless the words do."""
    where = () if "--workspace" in words or words[0] in ("init", "version", "demo") else ("--workspace", str(workspace))
    return entered(program, *words, *where)


def entered(program: str, *words: str) -> Said:
    """A command exactly as it is typed where this process stands, through its real border."""
    out, err, code = io.StringIO(), io.StringIO(), 0
    with redirect_stdout(out), redirect_stderr(err):
        try:
            guarded_main(partial(APPS[program], list(words), prog_name=program))
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 0
    return Said(code, out.getvalue(), err.getvalue())


def ran(workspace: Path, program: str, *words: str, **env: str) -> Said:
    """A command as a process of its own, standing in the workspace."""
    done = subprocess.run(
        [sys.executable, "-m", program, *words],
        cwd=workspace,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
        env={**os.environ, **env},
    )
    return Said(done.returncode, done.stdout, done.stderr)


def value(said: Said) -> Any:
    """Standard output as the one JSON document that it must be."""
    return json.loads(said.out)


@contextmanager
def production(workspace: Path) -> Iterator[None]:
    """Production up while the block runs, stopped with its guardian afterwards."""
    started = typed(workspace, "harness", "start", "small")
    try:
        assert started.code == 0, started.err
        yield
    finally:
        typed(workspace, "harness", "stop", "small")


def on_record(workspace: Path, *kinds: type[Payload]) -> list[Payload]:
    """Every payload of these kinds, by kind."""
    with Ledger.open(workspace / "records.db", actor="test", create=True) as ledger:
        return [payload for kind in kinds for _, payload in ledger.of(kind)]


def servers(workspace: Path) -> list[int]:
    """Process ids of the small servers that were started in this workspace and still run."""
    found: list[int] = []
    for entry in Path("/proc").iterdir():
        try:
            ours = entry.name.isdigit() and SERVER.encode() in (entry / "cmdline").read_bytes().split(b"\0")
            if ours and (entry / "cwd").resolve() == workspace.resolve():
                found.append(int(entry.name))
        except OSError:  # it ended while we looked
            continue
    return sorted(found)
