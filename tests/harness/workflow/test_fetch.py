"""A run's record goes from one ledger into another: payloads as they were, references as they must be, none twice."""

import json
from pathlib import Path

import pytest

from harness.workflow.conclude import conclude
from harness.workflow.fetch import WRITTEN, Fetched, NotFetched, bring, copy_ledger, entries_of, recorded
from ledger.entries import (
    SCHEMAS,
    BlobRef,
    Gate,
    Launch,
    MeasuringRun,
    Model,
    ModelFile,
    Payload,
    RunEnd,
    TargetState,
    Trial,
    Verdict,
)
from ledger.entries import Arm as ArmEntry
from ledger.entries.launch import BuiltFile
from ledger.store import Ledger
from ledger.verify import verify
from tests.harness.verdicts.records import RUN, Record, record

VALUES = {"baseline": [100.0, 101, 99, 100], "placebo": [100.0, 99, 101, 100], "quick": [150.0, 151, 149, 150]}
REVIEWING, KERNELS, LATER = "of a review run", "of the kernel bench", "written by a person's command after the run"
# Kinds that name a run and are not part of a measuring run's record.
NOT_THE_RUNS = {
    **dict.fromkeys(("review_run", "attempt", "review", "exclusion", "hypothesis", "brief"), REVIEWING),
    **dict.fromkeys(("kernel_run", "kernel_verdict"), KERNELS),
    **dict.fromkeys(("acceptance", "not_applied", "watch"), LATER),
}


def opened(path: Path) -> Ledger:
    """A ledger, made if need be."""
    return Ledger.open(path, actor="test", create=True)


def measured(ledger: Ledger, made: Record, *, ended: bool = True) -> None:
    """Write a whole run as the workflow would, with blobs at both depths and something of another run in between."""
    arms = [
        ArmEntry(
            fingerprint=arm.fingerprint,
            name=arm.name,
            target="t",
            proposal=None,
            definition=arm.model_dump(mode="json", by_alias=True),
            origins=("author",),
        )
        for arm in made.arms
    ]
    ledger.append_all([made.run, *arms])
    state = {"target": "t", "by": "harness", "run": RUN, "pid": 1, "start_time": 2, "url": None, "evidence": "seen"}
    ledger.append(TargetState.model_validate(state | {"state": "taken_down"}))
    ledger.append(model_of(made.launches[0]))
    for launch in made.launches:
        log = ledger.put_blob(launch.launch.encode(), "text/plain")
        built = BuiltFile(
            argv=("make",), cwd="/", output="/o", sha256="0" * 64, confined="bwrap", seconds=1.0, log=_said(ledger)
        )
        ledger.append(launch.model_copy(update={"log": log, "built": built}))
    ledger.append_all([gate.model_copy(update={"texts": _texts(ledger, made, gate)}) for gate in made.gates])
    ledger.append_all([trial for _, trial in made.trials])
    if ended:
        conclude(ledger, made.run, 12.0)


def model_of(launch: Launch, whole: str | None = None) -> Model:
    """The model file that launches ran with."""
    file = ModelFile(
        path="/m.gguf", name="m.gguf", bytes=7, written="then", stamp="1", sample_sha256="1" * 64, sha256=whole
    )
    return Model(run=RUN, target="t", launch=launch.launch, arm=None, files=(file,))


def _said(ledger: Ledger) -> BlobRef:
    return ledger.put_blob(b"compiled", "text/plain")


def _texts(ledger: Ledger, made: Record, gate: Gate) -> BlobRef | None:
    if gate.gate != "coherent":
        return None
    return ledger.put_blob(json.dumps(made.texts[gate.launch]).encode(), "application/json")


def _with_blobs(there: Ledger, here: Ledger, payload: Payload) -> Payload:
    refs = [payload.log, payload.built.log if payload.built else None] if isinstance(payload, Launch) else []
    refs += [payload.texts] if isinstance(payload, Gate) else []
    for ref in refs:
        if ref is not None:
            here.put_blob(there.read_blob(ref.sha256), ref.media_type)
    return payload


def test_a_record_is_brought_whole_and_means_the_same(tmp_path: Path) -> None:
    with opened(tmp_path / "there.db") as there, opened(tmp_path / "here.db") as here:
        measured(there, record(VALUES))
        got = bring(there, here, RUN)
        assert isinstance(got, Fetched) and got == recorded(here, RUN)
        assert (got.target, got.first_seq, got.entries) == ("t", 1, len(entries_of(there, RUN)))
        assert [v.speed for v in got.verdicts if v.primary] == ["FASTER"]
        trials = {entry.id for entry, _ in here.of(Trial)}
        assert {trial for verdict in got.verdicts for trial in verdict.trials} == trials
        for _, launch in here.of(Launch):
            assert launch.log is not None and here.read_blob(launch.log.sha256) == launch.launch.encode()
            assert launch.built is not None and here.read_blob(launch.built.log.sha256) == b"compiled"
        seqs = [here.of(kind, run=RUN)[0][0].seq for kind in (Model, Launch)]
        assert [len(here.of(Model, run=RUN)), *seqs] == [1, *sorted(seqs)]  # launches rest on what stands before them
        plain = [payload for _, payload in entries_of(there, RUN) if not isinstance(payload, Verdict)]
        assert plain == [payload for _, payload in entries_of(here, RUN) if not isinstance(payload, Verdict)]
        for ledger, whole in ((here, "2" * 64), (there, "3" * 64)):  # as an acceptance does: not the run's record
            ledger.append(model_of(launch, whole))
            assert bring(there, here, RUN) == got
        assert [model.files[0].sha256 for _, model in here.of(Model, run=RUN)] == [None, "2" * 64]
    assert verify(tmp_path / "here.db").ok


@pytest.mark.parametrize("stood", [1, 5, 30, 10_000])
def test_what_an_earlier_attempt_brought_is_not_brought_twice(tmp_path: Path, stood: int) -> None:
    with opened(tmp_path / "there.db") as there, opened(tmp_path / "here.db") as here:
        measured(there, record(VALUES))
        evidence = [payload for _, payload in entries_of(there, RUN) if not isinstance(payload, Verdict | RunEnd)]
        for payload in evidence[:stood]:
            here.append(_with_blobs(there, here, payload))
        assert isinstance(bring(there, here, RUN), Fetched)
        again = bring(there, here, RUN)
        assert isinstance(again, Fetched) and again.entries == len(entries_of(there, RUN))
        assert len(here.of(RunEnd)) == 1
    assert verify(tmp_path / "here.db").ok


def test_what_is_not_at_its_end_is_not_brought(tmp_path: Path) -> None:
    with opened(tmp_path / "there.db") as there, opened(tmp_path / "here.db") as here:
        assert isinstance(bring(there, here, RUN), NotFetched)
        measured(there, record(VALUES), ended=False)
        outcome = bring(there, here, RUN)
        assert isinstance(outcome, NotFetched) and "not at its end there" in outcome.sentence
        assert here.head() is None


def test_another_record_of_the_same_run_is_refused(tmp_path: Path) -> None:
    with opened(tmp_path / "there.db") as there, opened(tmp_path / "here.db") as here:
        measured(there, record(VALUES))
        measured(here, record(VALUES | {"quick": [120.0, 121, 119, 120]}))
        before = here.head()
        outcome = bring(there, here, RUN)
        assert isinstance(outcome, NotFetched) and "another record of run" in outcome.sentence
        assert here.head() == before


def test_the_models_of_a_record_that_an_earlier_version_brought_follow_once(tmp_path: Path) -> None:
    with opened(tmp_path / "there.db") as there, opened(tmp_path / "here.db") as here:
        made = record(VALUES)
        measured(there, made, ended=False)
        there.append(RunEnd(run=RUN, outcome="void", reason="interrupted", detail="", downtime_s=1.0))
        without = [payload for _, payload in entries_of(there, RUN) if not isinstance(payload, Model)]
        here.append_all([_with_blobs(there, here, payload) for payload in without])
        for _ in range(2):
            assert isinstance(bring(there, here, RUN), Fetched)
            assert [model for _, model in here.of(Model, run=RUN)] == [model_of(made.launches[0])]


def test_a_record_that_an_earlier_version_began_to_bring_without_its_models_is_finished(tmp_path: Path) -> None:
    """That version was ended between its two batches: all evidence stands here, no model, no verdict and no end."""
    with opened(tmp_path / "there.db") as there, opened(tmp_path / "here.db") as here:
        made = record(VALUES)
        measured(there, made)
        whole = [payload for _, payload in entries_of(there, RUN)]
        evidence = [payload for payload in whole if not isinstance(payload, Model | Verdict | RunEnd)]
        here.append_all([_with_blobs(there, here, payload) for payload in evidence])
        for _ in range(2):
            got = bring(there, here, RUN)
            assert isinstance(got, Fetched) and got.entries == len(whole) - 1, got
            assert [model for _, model in here.of(Model, run=RUN)] == [model_of(made.launches[0])]


def test_every_kind_that_names_a_run_is_brought_or_left_out_for_a_reason() -> None:
    naming = {schema.kind for schema in SCHEMAS.values() if "run" in schema.model_fields}
    assert naming == {MeasuringRun.kind, *(kind.kind for kind in WRITTEN), *NOT_THE_RUNS}
    assert not {kind.kind for kind in WRITTEN} & NOT_THE_RUNS.keys()


def test_a_copy_is_whole_and_writes_over_nothing(tmp_path: Path) -> None:
    with opened(tmp_path / "there.db") as there:
        measured(there, record(VALUES))
        copy_ledger(tmp_path / "there.db", tmp_path / "copy.db")
        with pytest.raises(FileExistsError):
            copy_ledger(tmp_path / "there.db", tmp_path / "copy.db")
    assert verify(tmp_path / "copy.db").ok
    with Ledger.open(tmp_path / "copy.db", actor="test") as copy:
        assert recorded(copy, RUN) is not None and recorded(copy, "measure-000002") is None
