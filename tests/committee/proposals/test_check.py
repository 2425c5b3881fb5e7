"""Every finding of the check, each from a folder that has just that fault."""

from pathlib import Path

import pytest

from committee.proposals.check import check, passes
from committee.proposals.complaint import Complaint, Severity
from committee.proposals.folder import load
from committee.proposals.revision import freeze
from harness.vocabulary.target import Target
from ledger.entries import Interval, Verdict
from ledger.store import Ledger
from tests.committee.proposals.sample import ARM, CRITERIA, HEADER, TARGET, make_folder, make_target


def found_in(folder: Path, ledger: Ledger | None = None) -> tuple[Complaint, ...]:
    """What the check says about the folder as it is now."""
    return check(load(folder), freeze(folder), make_target(), ledger)


def test_a_good_folder_passes_in_silence(tmp_path: Path) -> None:
    assert found_in(make_folder(tmp_path)) == ()


@pytest.mark.parametrize(
    ("name", "content", "severity", "words"),
    [
        ("PROPOSAL.md", b" \n", Severity.ERROR, "missing or empty"),
        ("PROPOSAL.md", b"\xff\xfe", Severity.ERROR, "not UTF-8 text"),
        ("notes.bin", b"a\x00b", Severity.ERROR, "move it to evidence/"),
        ("evidence/dump.bin", b"a\x00b", Severity.NOTE, "name and size only"),
        ("evidence/log.txt", b"password = 'correct-horse-battery'", Severity.ERROR, "looks like a secret"),
        ("kernel/main.cu", b"", Severity.WARNING, "kernel/ is not used"),
        (
            "arms/b.toml",
            ARM.replace("= 4 }\n", "= 9 }\n").replace("four", "nine").encode(),
            Severity.ERROR,
            "between",
        ),
        (
            "arms/b.toml",
            ARM.replace("n-parallel", "host").replace("four", "x").encode(),
            Severity.ERROR,
            "not listed",
        ),
        (
            "arms/four-slots.toml",
            ARM.replace(
                'source = "props", path = "total_slots", equals = 4', 'source = "log", pattern = "(a+)+b"'
            ).encode(),
            Severity.ERROR,
            "may take too long",
        ),
        ("arms/four-slots.toml", ARM.split("witness")[0].encode(), Severity.WARNING, "no witness"),
        ("arms/b.toml", ARM.replace("four-slots", "again").encode(), Severity.WARNING, "are the same change"),
        ("criteria.toml", (CRITERIA + 'gates = ["ready"]\n').encode(), Severity.ERROR, "armed, coherent"),
        ("criteria.toml", CRITERIA.replace("4, 1]", "4, 8]").encode(), Severity.WARNING, "designed for 4"),
        ("criteria.toml", CRITERIA.replace("4, 1]", "4, 17]").encode(), Severity.ERROR, "more than four times the 4"),
        (
            "criteria.toml",
            CRITERIA.replace('"identical"', '"quality", reason = "r", min_quality = 0.5').encode(),
            Severity.ERROR,
            "needs the gate quality",
        ),
        (
            "criteria.toml",
            (CRITERIA + 'capability = { check = "context_tokens", value = 9 }\n').encode(),
            Severity.ERROR,
            "needs the gate capability",
        ),
        (
            "proposal.toml",
            HEADER.replace("minutes = 30", "minutes = 3.7").encode(),
            Severity.ERROR,
            "one arm takes about 3.8 server minutes to measure, but the budget is 3.7",
        ),
        ("proposal.toml", HEADER.replace("sample-server", "other").encode(), Severity.ERROR, "checked against"),
    ],
)
def test_each_fault_is_found(tmp_path: Path, name: str, content: bytes, severity: Severity, words: str) -> None:
    folder = make_folder(tmp_path)
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_bytes(content)
    found = found_in(folder)
    assert [complaint.severity for complaint in found if words in complaint.sentence] == [severity]
    assert passes(found) is (severity is not Severity.ERROR)


def test_an_arm_that_is_code_is_left_to_a_person(tmp_path: Path) -> None:
    folder = make_folder(tmp_path)
    edit = 'deploy = [{ find = "a", replace = "b" }]\nflags = {}'
    (folder / "arms" / "b.toml").write_text(ARM.replace("flags = { n-parallel = 4 }", edit).replace("four", "code"))
    files = {"baseline": {"command": ["/srv/deploy.sh"]}, "deploy": {"script": "/srv/deploy.sh", "edits": True}}
    target = Target.from_mapping(TARGET | files, "t")
    (said,) = check(load(folder), freeze(folder), target, None)
    assert said.severity is Severity.WARNING
    assert "it runs code that is not production's, so it is measured only with a person's name" in said.sentence


def test_blocks_that_cannot_see_what_the_criteria_ask_for_are_warned_of_with_the_number_to_change(
    tmp_path: Path,
) -> None:
    folder = make_folder(tmp_path)
    wide = Target.model_validate({**TARGET, "planning": {"launch_sd_pct": 5, "start_s": 3}})
    (said,) = check(load(folder), freeze(folder), wide, None)
    assert (said.severity, said.where) == (Severity.WARNING, "criteria.toml")
    assert said.sentence == (
        "2 blocks see a gain of 26 % for one arm at the 5 % between launches that 'sample-server' assumes, but "
        "smallest_effect_pct is 10; raise blocks to 5, or raise smallest_effect_pct to 26"
    )
    (folder / "criteria.toml").write_text(CRITERIA.replace("blocks = 2", "blocks = 5"))
    assert check(load(folder), freeze(folder), wide, None) == ()


def test_blocks_that_no_run_may_have_are_not_advised(tmp_path: Path) -> None:
    folder = make_folder(tmp_path)
    wide = Target.model_validate({**TARGET, "planning": {"launch_sd_pct": 60, "start_s": 3}})
    said = next(one.sentence for one in check(load(folder), freeze(folder), wide, None) if "blocks see" in one.sentence)
    assert "raise blocks to" not in said and said.partition("is 10; ")[2].startswith(
        "no number of blocks that a run may have (at most 200) sees that; load each launch for longer, quieten the "
        "machine, or raise smallest_effect_pct to "
    )


def test_arms_that_are_together_above_the_budget_are_warned_of(tmp_path: Path) -> None:
    folder = make_folder(tmp_path)
    (folder / "proposal.toml").write_text(HEADER.replace("minutes = 30", "minutes = 4"))
    assert found_in(folder) == ()
    (folder / "arms" / "b.toml").write_text(ARM.replace("four-slots", "two-slots").replace("4", "2"))
    (said,) = found_in(folder)
    assert said.severity is Severity.WARNING
    assert "2 arms take about 5.0 server minutes to measure, but the budget is 4" in said.sentence


def test_a_baseline_that_no_count_could_prove_is_an_error(tmp_path: Path) -> None:
    folder, known = make_folder(tmp_path), make_target()
    mute = known.model_copy(
        update={
            "adapter": "vllm",
            "baseline": known.baseline.model_copy(update={"flags": {"disable-log-stats": True}}),
        }
    )
    (said,) = check(load(folder), freeze(folder), mute, None)
    assert said.where == "target 'sample-server'" and "would end as no_proof" in said.sentence
    assert said.severity is Severity.ERROR


def test_a_gate_that_the_engine_could_not_prove_is_an_error(tmp_path: Path) -> None:
    folder = make_folder(tmp_path)
    three = 'gates = ["ready", "armed", "coherent"]'
    assert three not in CRITERIA
    for gates, errors in ((three, 0), ('gates = ["ready", "armed", "coherent", "isolated"]', 1)):
        (folder / "criteria.toml").write_text(CRITERIA.replace("blocks = 2", f"blocks = 2\n{gates}"))
        blind = make_target().model_copy(update={"adapter": "transformers"})
        found = [one for one in check(load(folder), freeze(folder), blind, None) if one.severity is Severity.ERROR]
        assert len(found) == errors
    assert found[0].where == "criteria.toml" and found[0].sentence == (
        "gates hold isolated, but the adapter 'transformers' of 'sample-server' reads no counts of its engine, so each "
        "launch would end as no_proof after its whole load, with production down; take it out of gates"
    )


def test_a_kernel_needs_its_source_and_every_header(tmp_path: Path) -> None:
    folder = make_folder(tmp_path)
    (folder / "proposal.toml").write_text(HEADER.replace('"config"', '"kernel"'))
    assert "there is no source" in found_in(folder)[0].sentence
    (folder / "kernel").mkdir()
    (folder / "kernel" / "main.cu").write_text('#include "common.cuh"\n')
    first, second = found_in(folder)
    assert (first.where, first.severity) == ("kernel/main.cu:1", Severity.ERROR)
    assert second.severity is Severity.NOTE
    (folder / "kernel" / "common.cuh").write_text("")
    assert passes(found_in(folder))


def test_errors_come_first(tmp_path: Path) -> None:
    folder = make_folder(tmp_path)
    (folder / "evidence").mkdir()
    (folder / "evidence" / "a.bin").write_bytes(b"\x00")
    (folder / "z.bin").write_bytes(b"\x00")
    (folder / "arms" / "b.toml").write_text(ARM.replace("four-slots", "again"))
    assert [complaint.severity for complaint in found_in(folder)] == ["error", "warning", "note"]


def test_earlier_verdicts_on_the_same_change_are_shown_one_a_run(tmp_path: Path) -> None:
    folder = make_folder(tmp_path)
    (arm,) = load(folder).arms
    with Ledger.open(tmp_path / "records.db", actor="test", create=True) as ledger:
        ledger.append(make_verdict(arm.fingerprint, "m-000001", "SAME"))
        ledger.append(make_verdict(arm.fingerprint, "m-000002", None))
        ledger.append(make_verdict("0" * 64, "m-000003", "FASTER"))
        ledger.append(make_verdict(arm.fingerprint, "m-000002", "SLOWER").model_copy(update={"primary": False}))
        newest, oldest = found_in(folder, ledger)
    assert "m-000002: total_tok_s at load 4 INVALID (start_refused), numerics UNKNOWN" in newest.sentence
    assert "m-000001: total_tok_s at load 4 SAME, +0.4 %, numerics UNKNOWN" in oldest.sentence
    assert newest.severity is Severity.NOTE


def make_verdict(arm: str, run: str, speed: str | None) -> Verdict:
    """A verdict on record, with a number where `speed` is given."""
    interval = Interval(
        estimate_pct=0.4, low_pct=-1, high_pct=2, level=0.05, launch_sd_pct=2, degrees_of_freedom=4, pooled=True
    )
    return Verdict.model_validate(
        {
            "run": run,
            "target": "sample-server",
            "arm": arm,
            "arm_name": "four-slots",
            "metric": "total_tok_s",
            "load": 4,
            "primary": True,
            "validity": "VALID" if speed else "INVALID",
            "reasons": () if speed else ("start_refused",),
            "speed": speed,
            "numerics": "UNKNOWN",
            "interval": interval if speed else None,
            "smallest_effect_pct": 10,
            "blocks": 4,
            "placebo_low_pct": None,
            "placebo_high_pct": None,
            "visible_effect_pct": None,
            "more_blocks": None,
            "more_server_minutes": None,
            "trials": (),
        }
    )


def test_an_arm_that_breaks_a_rule_is_stopped_before_anything_is_paid(tmp_path: Path) -> None:
    folder = make_folder(tmp_path)
    (folder / "arms" / "four-slots.toml").write_text(ARM.replace("n-parallel = 4", 'cache-type-v = "q8_0"'))
    baseline = {"command": ["serve"], "flags": {"flash-attn": "off"}}
    allowed = {"cache-type-v": {"type": "choice", "values": ["f16", "q8_0"]}}
    target = Target.model_validate({**TARGET, "baseline": baseline, "allowed_flags": allowed})
    (complaint,) = check(load(folder), freeze(folder), target, None)
    assert complaint.severity is Severity.ERROR
    assert complaint.sentence.startswith("cache-type-v = 'q8_0' needs flash attention, which is off")


def test_a_secret_that_stands_openly_in_the_target_is_warned_of(tmp_path: Path) -> None:
    folder, target = make_folder(tmp_path), make_target()
    value = "aB3dE5fG7hJ9" + "kL1mN2pQ4rS6tU8vW0xY+/"  # made up; the scanner sees how mixed it is
    baseline = target.baseline.model_copy(update={"env": {"MODE": value}})
    (said,) = check(load(folder), freeze(folder), target.model_copy(update={"baseline": baseline}), None)
    assert said.severity is Severity.WARNING and value not in said.sentence
    assert said.sentence.startswith(f"variable MODE in 'targets/{target.name}.toml' looks like a secret")
