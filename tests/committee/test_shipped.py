"""The shipped example: it passes its own check, its citations stand where they say, its reviews fuse as promised."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from committee.fuse.arms import arm_from
from committee.fuse.fuse import fuse
from committee.fuse.fused import Fused
from committee.making import EXAMPLE
from committee.proposals.check import check
from committee.proposals.folder import load
from committee.proposals.revision import freeze
from committee.review.recorded import read_recording
from committee.shipped import CHECKOUT, shipped
from committee.vocabulary.review import ReviewAnswer
from harness.workflow.order import read_target
from ledger.canonical import digest
from ledger.entries import Hypothesis, Prediction

FOLDER = shipped("proposals") / EXAMPLE
TARGET, _ = read_target(shipped("targets") / "local-llamacpp.toml")
RECORDINGS = sorted((shipped("recordings") / "0001").glob("*.json"))


def answer_of(path: Path) -> ReviewAnswer:
    """A recording as the border reads it, with a nonce filled in."""
    answer = {"nonce": "0" * 8, **read_recording(path).answer}
    return ReviewAnswer.model_validate_json(json.dumps(answer))


def hypotheses_of(path: Path) -> list[Hypothesis]:
    """The recording's hypotheses as a review run writes them."""
    told = []
    for number, said in enumerate(answer_of(path).hypotheses, start=1):
        written = said.arm.model_dump(mode="json") if said.arm else None
        arm = arm_from(written, TARGET)
        prediction = Prediction.model_validate(said.predicted.model_dump(mode="json"))
        fields = {
            "hypothesis": f"review-000000/{path.stem}/{number}",
            "run": "review-000000",
            "reviewer": path.stem,
            "mechanism": said.mechanism,
            "prediction": prediction,
            "prediction_sha256": digest(prediction.model_dump(mode="json")),
            "falsifier": said.falsifier,
            "citations": [cited.model_dump() for cited in said.citations],
            "arm": written,
            "arm_fingerprint": None if isinstance(arm, str) else arm.fingerprint,
            "not_runnable": arm if isinstance(arm, str) and written else None,
        }
        told.append(Hypothesis.model_validate(fields))
    return told


def fused() -> Fused:
    """Both recorded reviews and the author's arm."""
    return fuse([told for path in RECORDINGS for told in hypotheses_of(path)], load(FOLDER).arms)


def test_the_example_passes_its_own_check_in_silence() -> None:
    assert check(load(FOLDER), freeze(FOLDER), TARGET, None) == ()


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_each_recording_is_a_complete_review_whose_citations_stand(path: Path) -> None:
    answer = answer_of(path)
    assert answer.proposal == EXAMPLE
    assert answer.count == len(answer.hypotheses)
    files = dict(freeze(FOLDER).files)
    for cited in (cited for said in answer.hypotheses for cited in said.citations):
        assert cited.quote in files[cited.file].decode().split("\n")[cited.line - 1]


def test_the_reviews_name_every_arm_of_the_demo_with_a_witness() -> None:
    assert {arm.name: dict(arm.flags) for arm in fused().arms} == {
        "four-slots": {"n-parallel": 4},
        "kv-q8": {"cache-type-k": "q8_0"},
        "one-thread": {"threads": 1},
        "smaller-batch": {"batch-size": 1024},
        "v-cache-q8-no-fa": {"cache-type-v": "q8_0", "flash-attn": "off"},
    }
    assert all(arm.witness for arm in fused().arms)
    assert fused().not_runnable == ()


def test_what_fusing_the_example_shows() -> None:
    groups = {group.arm.name: group for group in fused().groups}
    assert {told.reviewer for told in groups["four-slots"].hypotheses} == {"first-review", "second-review"}
    assert "author" in groups["one-thread"].origins
    (found,) = fused().contradictions
    assert (found.arm_name, found.metric, found.load) == ("kv-q8", "total_tok_s", 4)
    assert len(fused().without_arm) == 1


@pytest.mark.system
@pytest.mark.alone
def test_a_wheel_can_make_the_example_by_itself(tmp_path: Path) -> None:
    leave = shutil.ignore_patterns(".*", "build", "dist", "*.egg-info", "__pycache__", "records.db*")
    shutil.copytree(CHECKOUT, tmp_path / "source", ignore=leave)
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path)]
    subprocess.run([*build, str(tmp_path / "source")], check=True, capture_output=True, timeout=300)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as opened:
        opened.extractall(tmp_path / "installed")
    shutil.rmtree(tmp_path / "source")
    script = (
        "import sys; from pathlib import Path; import committee.shipped as s; from committee.making import init, new; "
        "assert Path(s.__file__).is_relative_to(sys.argv[1]), s.__file__; "
        "w = init(Path(sys.argv[2]), example=True); new(w, 'more', 'kernel')"
    )
    run = [sys.executable, "-c", script, str(tmp_path / "installed"), str(tmp_path / "w")]
    subprocess.run(run, check=True, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(tmp_path / "installed")})
    made = tmp_path / "w" / "proposals" / EXAMPLE
    assert freeze(made).tree == freeze(FOLDER).tree
    assert (tmp_path / "w" / "proposals" / "0002-more" / "kernel" / "kernel.cu").is_file()
