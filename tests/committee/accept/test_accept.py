"""Accepting: bound to the evidence, committed with trailers, refused for every missing thing, nothing half done."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from committee.accept.accept import accept
from harness.vocabulary.accepted import Accepted
from harness.vocabulary.arm import Arm
from ledger.anchor import root_over
from ledger.entries import Acceptance, MeasuringRun, Ticket
from tests.committee.accept.sample import CRITERIA, FOUR, Q8, Bench, make_bench

OVERLAY = "targets/local-llamacpp.accepted.toml"


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    """A workspace with one proposal."""
    made = make_bench(tmp_path)
    with made.ledger:
        yield made


def decide(bench: Bench, arm: str = "four-slots", reason: str = "four users wait less") -> Acceptance | tuple[str, ...]:
    """A person accepts."""
    return accept(bench.workspace, bench.ledger, "0001", arm, reason, "Ada Example")


def refused(bench: Bench, arm: str = "four-slots", reason: str = "r") -> str:
    """The one sentence of a refusal, after which nothing was written or committed."""
    before = (bench.git("rev-parse", "HEAD"), bench.ledger.head())
    said = decide(bench, arm, reason)
    assert isinstance(said, tuple)
    assert (bench.git("rev-parse", "HEAD"), bench.ledger.head()) == before
    assert not (bench.workspace.folder / OVERLAY).exists()
    return "; ".join(said)


def test_accepted_recorded_and_committed(bench: Bench) -> None:
    bench.measure("m-000001")
    acceptance = decide(bench)
    assert isinstance(acceptance, Acceptance)
    assert acceptance.supersedes is None
    ((entry, recorded),) = bench.ledger.of(Acceptance)
    assert recorded == acceptance
    assert bench.trailers() == [
        f"Proposal: 0001-slots@{acceptance.tree}",
        f"Arm: four-slots {FOUR.fingerprint}",
        *(f"Verdict: {verdict}" for verdict in acceptance.verdicts),
        f"Ticket: {bench.ledger.of(Ticket)[0][1].sha256}",
        f"Ledger-Head: {entry.seq} {entry.id}",
        f"Ledger-Root: {entry.seq} {root_over(bench.ledger, entry.seq)}",
    ]
    names = bench.git("show", "--name-only", "--format=").split("\n")
    assert OVERLAY in names
    assert all(name == OVERLAY or name.startswith("proposals/0001-slots/") for name in names)
    assert bench.git("status", "--porcelain") == ""
    assert bench.workspace.records.verify().ok


def no_links(*_: object, **__: object) -> None:
    """What Windows answers to an account without that privilege."""
    raise OSError(1314, "A required privilege is not held by the client")


def test_the_new_baseline_is_read_and_the_persons_file_stays(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "symlink", no_links)
    written = (bench.workspace.folder / "targets" / "local-llamacpp.toml").read_bytes()
    bench.measure("m-000001")
    assert isinstance(decide(bench), Acceptance)
    target, _ = bench.workspace.target("local-llamacpp")
    assert target.baseline.flags["n-parallel"] == 4
    assert "n_parallel" not in target.baseline.flags
    assert (bench.workspace.folder / "targets" / "local-llamacpp.toml").read_bytes() == written


def test_an_arm_that_is_code_is_put_into_production_by_a_person_only(bench: Bench) -> None:
    over = {"path": "/opt/a.so", "source": "/srv/a.so", "sha256": "a" * 64}
    bench.measure("m-000001", Arm.model_validate({"schema": 1, "name": "kernel", "overlay": [over]}))
    assert "arm 'kernel' changes files of the server, which are put into production by a person only" in refused(
        bench, "kernel"
    )


def test_an_accepted_model_file_becomes_the_baselines(bench: Bench) -> None:
    bench.measure("m-000001", Arm.model_validate({"schema": 1, "name": "iq4", "model": "/models/iq4.gguf"}))
    assert isinstance(decide(bench, "iq4"), Acceptance)
    assert Accepted.from_toml(bench.workspace.folder / OVERLAY).model == "/models/iq4.gguf"


def test_a_later_acceptance_supersedes_and_stacks(bench: Bench) -> None:
    bench.measure("m-000001")
    decide(bench)
    bench.measure("m-000002", Q8)
    second = decide(bench, "kv-q8")
    assert isinstance(second, Acceptance)
    assert second.supersedes == bench.ledger.of(Acceptance)[0][0].id
    target, _ = bench.workspace.target("local-llamacpp")
    assert (target.baseline.flags["n-parallel"], target.baseline.flags["cache-type-k"]) == (4, "q8_0")


def test_accepted_once_only(bench: Bench) -> None:
    bench.measure("m-000001")
    decide(bench)
    said = decide(bench)
    assert isinstance(said, tuple)
    already = f"'four-slots' is accepted for 'local-llamacpp' already (entry {bench.ledger.of(Acceptance)[0][0].seq})"
    assert said == (already,)
    overlay = bench.workspace.folder / OVERLAY
    whole = overlay.read_bytes()
    for other in (b"", whole.replace(b"ledger_head = ", b'ledger_head = "0" #')):
        overlay.unlink()
        if other:
            overlay.write_bytes(other)
        back = f"{already}; '{overlay.name}' was not as git holds it and is put back"
        assert decide(bench) == (back,) and overlay.read_bytes() == whole
    assert bench.git("status", "--porcelain") == ""
    overlay.write_bytes(edited := whole + b"<<<<<<< HEAD\n")
    left = f"'{overlay.name}' cannot be read and is left as it is: correct it, or take git's with `git checkout`"
    assert decide(bench) == (f"{already}; {left}",) and overlay.read_bytes() == edited


def test_by_the_beginning_of_a_fingerprint(bench: Bench) -> None:
    bench.measure("m-000001")
    assert isinstance(decide(bench, FOUR.fingerprint[:8]), Acceptance)


def test_not_measured(bench: Bench) -> None:
    assert "no measured arm 'four-slots'; there is: none" in refused(bench)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"speed": "AMBIGUOUS"}, "is AMBIGUOUS, FASTER is needed"),
        ({"numerics": "CHANGED"}, "numerics is CHANGED, IDENTICAL is needed"),
        ({"validity": "NOT_ARMED", "speed": None, "interval": None}, "NOT_ARMED, VALID is needed"),
        ({"metric": "user_tok_s"}, "no verdict on total_tok_s at load 4"),
    ],
)
def test_criteria_that_are_not_met(bench: Bench, changed: dict[str, Any], words: str) -> None:
    bench.measure("m-000001", **changed)
    assert words in refused(bench)


def test_a_run_with_other_criteria(bench: Bench) -> None:
    bench.measure("m-000001", override={"level": 0.1})
    assert "m-000001 was measured with other criteria than the revision's own" in refused(bench)


def test_more_blocks_than_asked_for_support_an_acceptance_and_fewer_do_not(bench: Bench) -> None:
    criteria = bench.folder / "criteria.toml"
    criteria.write_text(criteria.read_text().replace("blocks = 2", "blocks = 3"))
    bench.measure("m-000001", override={"blocks": 2})
    assert "with other criteria than the revision's own" in refused(bench)
    bench.measure("m-000002", override={"blocks": 4})
    assert isinstance(decide(bench), Acceptance)


def test_the_passes_of_a_screen_are_no_blocks_that_the_criteria_ask_for(bench: Bench) -> None:
    sequential = "looks = { count = 3, planned_effect_pct = 20 }\nscreen = { passes = 4, keep = 2 }\n"
    (bench.folder / "criteria.toml").write_text(CRITERIA.replace("blocks = 2", "blocks = 12") + sequential)
    bench.measure("m-000001", override={"blocks": 8})
    assert "m-000001 was measured with other criteria than the revision's own" in refused(bench)
    bench.measure("m-000002", blocks=8)
    ((_, short), (_, whole)) = bench.ledger.of(MeasuringRun)
    assert (short.blocks, whole.blocks) == (12, 16), "passes of the screen are counted in the plan"
    accepted = decide(bench)
    assert isinstance(accepted, Acceptance) and accepted.run == "m-000002", "it ended at a look, by its own rule"


def test_a_name_that_two_measured_arms_have(bench: Bench) -> None:
    bench.measure("m-000001")
    bench.measure("m-000002", Q8.model_copy(update={"name": FOUR.name}))
    prints = ", ".join(sorted(arm.fingerprint[:12] for arm in (FOUR, Q8)))
    assert f"are 'four-slots'; give the beginning of a fingerprint: {prints}" in refused(bench)


@pytest.mark.parametrize("outcome", ["void", "stopped"])
def test_a_run_that_did_not_complete(bench: Bench, outcome: str) -> None:
    bench.measure("m-000001", outcome=outcome)
    assert f"run m-000001 is {outcome} (a sentence)" in refused(bench)


def test_a_void_run_does_not_hide_the_completed_one_before(bench: Bench) -> None:
    bench.measure("m-000001")
    bench.measure("m-000002", outcome="void")
    acceptance = decide(bench)
    assert isinstance(acceptance, Acceptance)
    assert acceptance.run == "m-000001"


def test_the_newest_completed_run_decides(bench: Bench) -> None:
    bench.measure("m-000001")
    bench.measure("m-000002", speed="SAME")
    assert "is SAME, FASTER is needed" in refused(bench)


def test_another_tree_than_the_measured_one(bench: Bench) -> None:
    bench.measure("m-000001")
    (bench.folder / "PROPOSAL.md").write_text("changed afterwards\n")
    assert "measure again or put the folder back" in refused(bench)


def test_criteria_softened_afterwards(bench: Bench) -> None:
    bench.measure("m-000001", speed="SAME")
    (bench.folder / "criteria.toml").write_text(CRITERIA.replace("= 10", "= 1"))
    assert "was measured; measure again" in refused(bench)


def test_a_verdict_on_fewer_blocks_than_were_asked_for_is_not_accepted(bench: Bench) -> None:
    bench.measure("m-000001", blocks=1)
    said = accept(bench.workspace, bench.ledger, "0001", "four-slots", "four users wait less", "Ada Example")
    assert said == ("total_tok_s at load 4 stands on 1 blocks, and the criteria ask for 2; measure again",)


def test_a_target_changed_since(bench: Bench) -> None:
    bench.measure("m-000001")
    path = bench.workspace.folder / "targets" / "local-llamacpp.toml"
    path.write_text(path.read_text() + "\n")
    assert "changed since m-000001; measure again" in refused(bench)


@pytest.mark.parametrize("reason", ["", " \n", "x" * 2001])
def test_a_reason_is_needed(bench: Bench, reason: str) -> None:
    bench.measure("m-000001")
    assert "reason" in refused(bench, reason=reason)


def test_other_staged_things_are_left_alone(bench: Bench) -> None:
    bench.measure("m-000001")
    (bench.workspace.folder / "mine.txt").write_text("mine")
    bench.git("add", "mine.txt")
    assert "other things staged ('mine.txt')" in refused(bench)


def test_no_repository(bench: Bench) -> None:
    bench.measure("m-000001")
    (bench.workspace.folder / ".git").rename(bench.workspace.folder.parent / "away")
    said = decide(bench)
    assert isinstance(said, tuple)
    assert "is not in a git repository" in said[0]
    assert bench.ledger.of(Acceptance) == []


def pending(bench: Bench) -> Path:
    """An acceptance on record whose commit was refused by a hook, which is returned."""
    hook = bench.workspace.folder / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho not today >&2\nexit 1\n")
    hook.chmod(0o755)
    before = bench.git("rev-parse", "HEAD")
    said = decide(bench)
    assert isinstance(said, tuple)
    assert "its commit failed: not today" in said[0]
    assert bench.git("rev-parse", "HEAD") == before
    assert not (bench.workspace.folder / OVERLAY).exists()
    assert bench.git("diff", "--cached", "--name-only") == ""
    return hook


def test_evidence_is_looked_at_again_before_a_pending_commit(bench: Bench) -> None:
    bench.measure("m-000001")
    pending(bench).unlink()
    path = bench.workspace.folder / "targets" / "local-llamacpp.toml"
    written = path.read_text()
    path.write_text(written + "\n")
    assert "changed since m-000001; measure again" in refused(bench)
    path.write_text(written)
    bench.measure("m-000002", speed="SAME")
    assert "is SAME, FASTER is needed" in refused(bench)
    bench.measure("m-000003", override={"blocks": 4})
    renewed = decide(bench)
    assert isinstance(renewed, Acceptance) and renewed.run == "m-000003"
    (first, _), (second, _) = bench.ledger.of(Acceptance)
    assert renewed.supersedes == first.id
    assert f"Ledger-Head: {second.seq} {second.id}" in bench.trailers()


def test_an_acceptance_that_git_took_back_can_be_decided_anew(bench: Bench) -> None:
    bench.measure("m-000001")
    decide(bench)
    bench.git("rm", "-q", OVERLAY)
    bench.git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "back to the old baseline")
    anew = decide(bench, reason="it was not the arm's fault")
    assert isinstance(anew, Acceptance) and anew.reason == "it was not the arm's fault"
    (first, _), (second, _) = bench.ledger.of(Acceptance)
    assert anew.supersedes == first.id
    assert f"Ledger-Head: {second.seq} {second.id}" in bench.trailers()
    said = decide(bench)
    assert isinstance(said, tuple) and f"already (entry {second.seq})" in said[0]


@pytest.mark.parametrize("linked", ["targets", OVERLAY])
def test_a_link_out_of_the_repository_is_one_sentence(bench: Bench, tmp_path: Path, linked: str) -> None:
    bench.measure("m-000001")
    path, away = bench.workspace.folder / linked, tmp_path / "away"
    if path.exists():
        path.rename(away)
    path.symlink_to(away)
    said = refused(bench)
    assert f"{linked}' is a symbolic link" in said
