"""An order is admitted by its target or refused whole, and survives its own file."""

from pathlib import Path
from typing import Any

import pytest

from harness.vocabulary.base import BadFileError
from harness.vocabulary.target import Target
from harness.workflow.order import Order, new_run_id, read_target, read_target_with
from tests.harness.vocabulary.test_criteria import GOOD
from tests.harness.vocabulary.test_target import MINIMAL


def order(*arms: dict[str, Any]) -> Order:
    value = {
        "run": "m-20260101-000000-abcdef01",
        "target": MINIMAL,
        "target_sha256": "0" * 64,
        "criteria": GOOD,
        "arms": [{"arm": {"schema": 1, **arm}} for arm in arms],
        "seed": 7,
    }
    return Order.from_mapping(value, "the order")


def test_an_order_survives_its_file(tmp_path: Path) -> None:
    path = tmp_path / "order.json"
    first = order({"name": "one-thread", "flags": {"threads": 1}}, {"name": "lock", "flags": {"mlock": True}})
    path.write_text(first.to_json())
    assert Order.from_json(path) == first


def test_an_order_says_that_it_keeps_a_copy_and_how_a_new_one_is_made() -> None:
    alone = order({"name": "one-thread", "flags": {"threads": 1}})
    name = alone.target.name
    kept = f"this order keeps its own copy of 'targets/{name}.toml' and of the arms, so what you correct there needs "
    assert alone.copies == f"{kept}a new order: `harness measure {name} --criteria FILE --arm FILE`"
    proposed = alone.model_copy(update={"proposal": "0007-less"})
    assert proposed.copies == f"{kept}a new order: `committee measure 0007-less`"


def test_a_denied_arm_refuses_the_whole_order() -> None:
    with pytest.raises(BadFileError, match="'host'"):
        order({"name": "good", "flags": {"threads": 1}}, {"name": "bad", "flags": {"host": "x"}})


@pytest.mark.parametrize(
    "criteria",
    [
        {"primary": GOOD["primary"] | {"load": 5}},
        {"primary": GOOD["primary"] | {"load": 1}},
        {"primary": GOOD["primary"] | {"load": 1}, "guard": [{"metric": "ttft_ms", "load": 5, "margin_pct": 5}]},
    ],
)
def test_a_load_far_above_what_the_target_is_for_is_refused(criteria: dict[str, Any]) -> None:
    value = {
        "run": "m-20260101-000000-abcdef01",
        "target": MINIMAL | {"users": 1},
        "target_sha256": "0" * 64,
        "criteria": GOOD | {"ladder": {"steps": [1, 5]}} | criteria,
        "arms": [{"arm": {"schema": 1, "name": "a", "flags": {"threads": 1}}}],
        "seed": 7,
    }
    with pytest.raises(BadFileError, match="load 5 is more than four times what 't' is designed for"):
        Order.from_mapping(value, "the order")


@pytest.mark.parametrize("field", ["target_sha256", "tree"])
def test_a_hash_that_is_none_is_refused(field: str) -> None:
    value = order({"name": "a", "flags": {"threads": 1}}).model_dump(by_alias=True)
    with pytest.raises(BadFileError, match=field):
        Order.from_mapping({**value, field: "a hash"}, "the order")


def test_the_same_change_twice_is_refused() -> None:
    with pytest.raises(BadFileError, match="arms 'a' and 'b' are the same change"):
        order({"name": "a", "flags": {"threads": 1}}, {"name": "b", "flags": {"threads": 1}})


def test_an_empty_order_and_a_broken_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadFileError, match="arms"):
        order()
    (tmp_path / "o.json").write_text('{"run": ')
    with pytest.raises(BadFileError, match=r"o\.json"):
        Order.from_json(tmp_path / "o.json")
    with pytest.raises(BadFileError, match="cannot be read"):
        Order.from_json(tmp_path / "none.json")


def test_run_ids_are_unique() -> None:
    assert len({new_run_id() for _ in range(100)}) == 100


TOML = """
schema = 1
name = "t"
adapter = "command"
users = 4
[baseline]
command = ["server"]
flags = { threads = 2, mlock = true }
witness = [{ source = "log", pattern = "threads = 2" }]
[endpoint]
port = 0
[ready]
pattern = "ready"
timeout_s = 5
[planning]
launch_sd_pct = 5
start_s = 1
"""
ACCEPTED = """
schema = 1
target = "t"
flags = { threads = 1 }
proposal = "0001-x"
arm = "one-thread"
fingerprint = "f"
ledger_head = "h"
"""


def test_an_accepted_baseline_is_laid_over_the_target(tmp_path: Path) -> None:
    path = tmp_path / "t.toml"
    path.write_text(TOML)
    plain, plain_hash = read_target(path)
    (tmp_path / "t.accepted.toml").write_text(ACCEPTED)
    overlaid, overlaid_hash = read_target(path)
    assert plain.baseline.flags == {"threads": 2, "mlock": True}
    assert overlaid.baseline.flags == {"threads": 1, "mlock": True}
    assert overlaid.baseline.witness == ()
    assert plain_hash != overlaid_hash


def test_an_accepted_flag_in_another_spelling_takes_the_baselines_place(tmp_path: Path) -> None:
    path = tmp_path / "t.toml"
    path.write_text(TOML.replace("mlock = true", "n-parallel = 1"))
    (tmp_path / "t.accepted.toml").write_text(ACCEPTED.replace("threads = 1", "n_parallel = 4"))
    target, _ = read_target(path)
    assert target.baseline.flags == {"threads": 2, "n-parallel": 4}
    assert Target.from_mapping(target.model_dump(by_alias=True), "again") == target


def test_a_target_must_have_its_files_name(tmp_path: Path) -> None:
    (tmp_path / "other.toml").write_text(TOML)
    with pytest.raises(BadFileError, match="names itself 't'"):
        read_target(tmp_path / "other.toml")
    (tmp_path / "t.toml").write_text(TOML)
    (tmp_path / "t.accepted.toml").write_text(ACCEPTED.replace('target = "t"', 'target = "u"'))
    with pytest.raises(BadFileError, match="belongs to 'u'"):
        read_target(tmp_path / "t.toml")


def test_another_baseline_is_read_as_if_it_lay_there(tmp_path: Path) -> None:
    path, overlay = tmp_path / "t.toml", tmp_path / "t.accepted.toml"
    path.write_text(TOML)
    written = read_target(path)
    assert read_target_with(path, ACCEPTED) != written == read_target_with(path, None)
    overlay.write_text(ACCEPTED)
    assert read_target_with(path, ACCEPTED) == read_target(path) and read_target_with(path, None) == written
    for text, said in ((ACCEPTED.replace('"t"', '"u"', 1), "belongs to 'u'"), ("<<<", "is not valid TOML")):
        with pytest.raises(BadFileError, match=said) as refused:
            read_target_with(path, text)
        assert str(overlay) in str(refused.value)


FILES: dict[str, Any] = {
    "baseline": {"command": ["bash", "/srv/deploy.sh"], "flags": {"model": "/m/a.gguf"}},
    "deploy": {"script": "/srv/deploy.sh", "edits": True},
    "allowed_overlays": [{"path": "/opt/a.so", "sources": "/srv/builds"}],
}
CODE: dict[str, Any] = {
    "name": "kernel",
    "overlay": [{"path": "/opt/a.so", "source": "/srv/builds/a.so", "sha256": "a" * 64}],
}


def files_order(approved_by: str | None, *more: dict[str, Any], **target: Any) -> Order:
    code = {"arm": {"schema": 1, **CODE}, "approved_by": approved_by}
    value = {
        "run": "m-20260101-000000-abcdef01",
        "target": MINIMAL | FILES | target,
        "target_sha256": "0" * 64,
        "criteria": GOOD,
        "arms": [code, *({"arm": {"schema": 1, **arm}} for arm in more)],
        "seed": 7,
    }
    return Order.from_mapping(value, "the order")


@pytest.mark.parametrize("approved_by", [None, ""])
def test_code_without_a_persons_yes_is_refused(approved_by: str | None) -> None:
    with pytest.raises(BadFileError, match=r"approved_by|arm 'kernel' runs code that is not production's"):
        files_order(approved_by)
    assert files_order("Ada Example").arms[0].approved_by == "Ada Example"


def test_a_copy_that_nothing_would_use_refuses_the_order() -> None:
    with pytest.raises(BadFileError, match="so a copy of it would not be used"):
        files_order("Ada Example", deploy=None)


def test_stacks_are_filled_in_with_origins_and_the_yes_of_their_parts(tmp_path: Path) -> None:
    thread = {"name": "one-thread", "flags": {"threads": 1}}
    found = files_order("Ada Example", thread, {"name": "both", "stack": ["kernel", "one-thread"]})
    assert [item.arm.name for item in found.arms] == ["kernel", "one-thread", "both"]
    assert found.arms[2].approved_by == "Ada Example"
    assert (found.arms[2].arm.flags, found.arms[2].arm.overlay) == ({"threads": 1}, found.arms[0].arm.overlay)
    path = tmp_path / "order.json"
    path.write_text(found.to_json())
    assert Order.from_json(path) == found


def test_a_stack_of_unknown_arms_is_refused() -> None:
    with pytest.raises(BadFileError, match="is stacked from 'gone', which is not among the arms"):
        files_order("Ada Example", {"name": "both", "stack": ["kernel", "gone"]})
