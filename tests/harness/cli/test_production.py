"""`harness start|stop|attest|restore` by command line, and that nobody stops production under a measurement."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from harness.cli.place import Place
from harness.hosts.base import Held
from harness.lease import Lease, read
from harness.workflow.carrier import open_host
from harness.workflow.order import read_target
from harness.workflow.production import Occasion, bring_up, production_spec, state_dir
from harness.workflow.proof import production_gates
from ledger.entries import TargetState
from tests.committee.cli.yard import PROPOSAL, make, on_record, production, servers, typed, value
from tests.harness.hosts.yard import kill
from tests.harness.test_lease import leased_elsewhere


@pytest.fixture
def ws(tmp_path: Path) -> Path:
    """A workspace with the small target."""
    return make(tmp_path / "ws")


def test_started_looked_at_and_stopped(ws: Path) -> None:
    never = typed(ws, "harness", "stop", "small")
    assert (never.code, never.out) == (0, "small was never started here\n")
    with production(ws):
        seen = value(typed(ws, "harness", "attest", "small", "--json"))
        assert seen["as_described"] and servers(ws) == [seen["pid"]]
        again = typed(ws, "harness", "restore", "small")
        assert again.code == 0 and f"was already running: pid {seen['pid']}" in again.out
        file, kept = ws / "targets" / "small.toml", (ws / "targets" / "small.toml").read_text()
        record = ws / ".committee" / "targets" / "small" / "production.json"
        ran = json.loads(record.read_text())["spec"]
        file.write_text(kept.replace("token-s = 0.005", "token-s = 0.006"))
        changed = typed(ws, "harness", "start", "small")
        assert changed.code == 1 and "still runs as it was started before" in changed.err
        assert json.loads(record.read_text())["spec"] == ran, "a crash brings back what ran, not what was typed since"
        file.write_text(kept)
    assert servers(ws) == []
    down = typed(ws, "harness", "attest", "small")
    assert down.code == 1 and "'harness start small' brings it up" in down.out
    stays = typed(ws, "harness", "restore", "small")
    assert stays.code == 0 and "stopped by a person and stays down" in stays.out
    assert typed(ws, "harness", "attest", "small", "--record").code == 1
    states = [state for state in on_record(ws, TargetState) if isinstance(state, TargetState)]
    assert [(state.state, state.by, state.accepted) for state in states] == [
        ("up", "a person's command", ""),
        ("restored", "a person's command", None),
        ("up", "a person's command", None),
        ("taken_down", "a person's command", None),
        ("down", "a person's look", None),
    ]


def test_nobody_starts_or_stops_production_under_a_measurement(ws: Path) -> None:
    target, _ = read_target(ws / "targets" / "small.toml")
    place = state_dir(ws, target)
    with production(ws):
        lease = Lease.take(place, "measure-other-000001")
        assert isinstance(lease, Lease)
        with lease:
            for word in ("stop", "start"):
                said = typed(ws, "harness", word, "small")
                assert said.code == 1 and said.out == ""
                assert "is being measured by" in said.err and "'measure-other-000001'" in said.err
            assert value(typed(ws, "harness", "attest", "small", "--json"))["as_described"]


def test_what_another_host_has_leased_is_a_persons_word(ws: Path) -> None:
    place = ws / ".committee" / "targets" / "small"
    leased_elsewhere(place)
    for word in ("start", "stop"):
        said = typed(ws, "harness", word, "small")
        assert said.code == 1 and "leased by ada@elsewhere.invalid (pid 1," in said.err and "--take-over." in said.err
    said = typed(ws, "harness", "stop", "measure-000001", "--take-over")
    assert said.code == 2 and "--take-over is for targets, and 'measure-000001' is none" in said.err
    assert read(place) is not None
    said = typed(ws, "harness", "stop", "small", "--take-over")
    assert (said.code, said.out) == (0, "small was not running\n") and read(place) is None
    leased_elsewhere(place)
    profile = ("profile", "small", "--yes", "--instrument", "/none/nsys {folder}")
    said = typed(ws, "harness", *profile)
    assert said.code == 1 and "leased by ada@elsewhere.invalid" in said.err and read(place) is not None
    said = typed(ws, "harness", *profile, "--take-over")
    assert said.code == 1 and "'/none/nsys' is not on the target's host" in said.err and read(place) is None


def test_a_first_start_that_cannot_succeed_says_what_can_be_done(ws: Path) -> None:
    target = ws / "targets" / "small.toml"
    good = target.read_text()
    target.write_text(good.replace('mode = "good"', 'mode = "refuse"'))
    said = typed(ws, "harness", "start", "small")
    assert said.code == 1 and said.out == "" and len(said.err.splitlines()) == 1
    assert "partition size 2048 is not supported" in said.err and "harness restore" not in said.err
    assert "it has never been up here, so mend [baseline] in 'targets/small.toml'" in said.err
    target.write_text(good)
    with production(ws):
        assert len(servers(ws)) == 1, "the advice was true: mended and started"


def test_a_damaged_record_is_one_sentence_of_whatever_looks(ws: Path) -> None:
    record = ws / ".committee" / "targets" / "small" / "production.json"
    record.parent.mkdir(parents=True)
    record.write_text("{half", encoding="utf-8")
    seen = typed(ws, "harness", "status", "small")
    assert (seen.code, seen.err) == (1, "") and "small: production is unknown: production.json in '" in seen.out, seen
    said = typed(ws, "harness", "attest", "small")
    assert said.code == 1 and said.out == "" and len(said.err.splitlines()) == 1, said
    assert said.err.startswith("production.json in '") and said.err.endswith("; correct it or remove it\n")


def test_a_file_that_cannot_be_read_keeps_production_down_for_nobody(ws: Path) -> None:
    file, state = ws / "targets" / "small.toml", ws / ".committee" / "targets" / "small"
    good = file.read_text(encoding="utf-8")
    with production(ws):
        before = json.loads((state / "production.json").read_text(encoding="utf-8"))["held"]
        for killed in (json.loads((state / "guardian.json").read_text(encoding="utf-8")), before):
            kill(killed["pid"], killed["start_time"])
        file.write_text(f"<<<<<<< HEAD\n{good}", encoding="utf-8")
        said = typed(ws, "harness", "restore", "small")
        (pid,) = servers(ws)
        assert (said.code, said.err) == (0, "") and pid != before["pid"], said
        note, sentence = said.out.splitlines()
        assert note.startswith("note: ") and "small.toml" in note and note.endswith("which needs no file")
        assert sentence == f"Production is up as it was recorded: pid {pid}."
        file.write_text(good, encoding="utf-8")
        assert value(typed(ws, "harness", "attest", "small", "--json"))["as_described"]
    states = [state.state for state in on_record(ws, TargetState) if isinstance(state, TargetState)]
    assert states == ["up", "restored", "taken_down"]
    for name in ("medium", "../targets/small"):
        said = typed(ws, "harness", "restore", name)
        assert said.code == 2 and f"no target '{name}'" in said.err and said.out == "", "nothing is recorded there"


def test_what_a_private_file_that_is_gone_held_is_neither_shown_nor_recorded(ws: Path) -> None:
    secret, place = "hf_notarealone", Place.find(ws)
    target, _ = place.target("small")

    async def recorded() -> None:
        host = await open_host(state_dir(ws, target), target)
        words = ("/bin/sh", "-c", 'echo "listening on http://127.0.0.1/$HF_TOKEN"; exec sleep 60')
        spec = replace(production_spec(target, ws), argv=words, env=(("HF_TOKEN", secret), ("PATH", "/usr/bin:/bin")))
        await host.set_production(spec)
        with place.ledger() as ledger:
            assert isinstance(await bring_up(host, ledger, Occasion(target, "a person's command")), Held)
        assert secret in str((await host.production()).url)
        assert secret not in repr(await production_gates(host, target))
        await host.close()

    try:
        asyncio.run(recorded())
        restored, seen = typed(ws, "harness", "restore", "small"), typed(ws, "harness", "attest", "small", "--json")
    finally:
        typed(ws, "harness", "stop", "small")
    note, sentence, _ = restored.out.splitlines()
    assert note.startswith("note: the files of target 'small' do not say what HF_TOKEN was") and restored.code == 0
    assert sentence.startswith("Production is up as it was recorded: pid ")
    assert "127.0.0.1/[private HF_TOKEN]" in seen.out
    states = [state for state in on_record(ws, TargetState) if isinstance(state, TargetState)]
    assert states[0].url == "http://127.0.0.1/[private HF_TOKEN]" and states[1].evidence == sentence
    assert secret not in f"{restored} {seen} {states}"


def test_a_draft_is_not_started_and_can_be_stopped_and_restored(ws: Path) -> None:
    target = ws / "targets" / "small.toml"
    good = target.read_text()
    with production(ws):
        target.write_text(good.replace("users = 2", "users = 2  # DECIDE: how many?"))
        folder = ws / "proposals" / PROPOSAL
        plan = ("--criteria", str(folder / "criteria.toml"), "--arm", str(folder / "arms" / "fast.toml"), "--dry-run")
        for program, *words in (
            ("harness", "start", "small"),
            ("harness", "measure", "small", *plan),
            ("harness", "profile", "small"),
            ("harness", "unit", "small"),
            ("committee", "check", "0001"),
            ("committee", "measure", "0001", "--dry-run"),
        ):
            said = typed(ws, program, *words)
            assert (said.code, said.out) in ((1, ""), (2, "")), (words, said)
            assert "line 5 is still marked DECIDE" in said.err, (words, said)
        assert typed(ws, "harness", "restore", "small").code == 0
        assert typed(ws, "harness", "attest", "small").code == 0
        for named in (["small"], []):
            seen = typed(ws, "harness", "status", *named)
            assert (seen.code, seen.err) == (0, "") and "small: production is up, pid" in seen.out, seen
    assert servers(ws) == [], "stopped although the file is a draft"
    seen = typed(ws, "harness", "targets")
    assert seen.code == 1 and "line 5 is still marked DECIDE" in seen.err
