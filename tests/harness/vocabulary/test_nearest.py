"""A mistyped key is named with its file and the nearest key that is known at its place, however deep that is."""

from typing import Any

import pytest

from committee.vocabulary.config import CommitteeConfig
from committee.vocabulary.proposal import ProposalHeader
from harness.vocabulary.accepted import Accepted
from harness.vocabulary.arm import Arm
from harness.vocabulary.base import BadFileError, Value
from harness.vocabulary.criteria import Criteria
from harness.vocabulary.nearest import known_keys
from harness.vocabulary.target import Target


@pytest.mark.parametrize(
    ("model", "value", "said"),
    [
        (Target, {"adaptor": "vllm"}, "'f.toml': 'adaptor': unknown key, the nearest known key is 'adapter'"),
        (Target, {"baseline": {"comand": ["x"]}}, "'baseline.comand': unknown key, the nearest known key is 'command'"),
        (Target, {"allowed_models": [{"pth": "/x"}]}, "'allowed_models.0.pth': unknown key, the nearest known key"),
        (Target, {"allowed_flags": {"threads": {"maxx": 1}}}, "'allowed_flags.threads.maxx': unknown key, the nearest"),
        (Target, {"host": {"sssh": "x"}}, "'host.sssh': unknown key, the nearest known key is 'ssh'"),
        (Target, {"planning": {"colour": 1}}, "unknown key, known there: launch_sd_pct, start_s, user_tok_s"),
        (Target, {"colour": "red"}, "known there: schema, name, adapter, users, baseline, endpoint"),
        (Criteria, {"guards": []}, "'guards': unknown key, the nearest known key is 'guard'"),
        (Criteria, {"primary": {"metrc": "x"}}, "'primary.metrc': unknown key, the nearest known key is 'metric'"),
        (Criteria, {"ladder": {"step": [1]}}, "'ladder.step': unknown key, the nearest known key is 'steps'"),
        (Arm, {"flag": {"a": 1}}, "'flag': unknown key, the nearest known key is 'flags'"),
        (Accepted, {"flagz": {}}, "the nearest known key is 'flags'"),
        (CommitteeConfig, {"reviewers": []}, "'reviewers': unknown key, the nearest known key is 'reviewer'"),
        (CommitteeConfig, {"reviewer": [{"base_urll": "x"}]}, "'reviewer.0.base_urll': unknown key, the nearest"),
        (ProposalHeader, {"budget": {"server_minute": 3}}, "the nearest known key is 'server_minutes'"),
    ],
)
def test_a_mistyped_key(model: type[Value], value: dict[str, Any], said: str) -> None:
    with pytest.raises(BadFileError) as caught:
        model.from_mapping(value, "f.toml")
    assert said in str(caught.value) and str(caught.value).startswith("'f.toml': ")
    assert str(caught.value).endswith("; correct it there")


def test_unknown_keys_are_all_named_up_to_three_and_before_what_is_missing() -> None:
    with pytest.raises(BadFileError) as caught:
        ProposalHeader.from_mapping({"idd": 1, "tittle": 2, "kinds": 3, "targets": 4}, "proposal.toml")
    said = str(caught.value)
    assert [f"'{key}': unknown key, the nearest known key is '{near}'" in said for key, near in (
        ("idd", "id"), ("tittle", "title"), ("kinds", "kind"), ("targets", "target"),
    )] == [True, True, True, False]  # fmt: skip
    assert "missing" not in said and "(and 5 more)" in said, (
        "three of those that miss are meant by those that are named"
    )


def test_each_of_several_faults_is_named_with_its_place_up_to_three() -> None:
    reviewer = {"name": "a", "kind": "embedded", "timeout_s": 0, "max_tokens": 1}
    value = {"schema": 1, "review": {"quorums": 1, "calls_per_endpoint": 0}, "reviewer": [reviewer]}
    with pytest.raises(BadFileError) as caught:
        CommitteeConfig.from_mapping(value, "committee.toml")
    assert str(caught.value) == (
        "'committee.toml': 'review.quorums': unknown key, the nearest known key is 'quorum'; "
        "'review.calls_per_endpoint': must be at least 1; 'reviewer.0.timeout_s': must be more than 0.0 (and 1 more); "
        "correct it there"
    )


def test_one_value_of_no_fitting_kind_is_one_complaint() -> None:
    with pytest.raises(BadFileError) as caught:
        Accepted.from_mapping({"flags": {"threads": [1]}}, "a.toml")
    assert str(caught.value).count("flags.threads") == 1


def test_a_mistyped_needed_key_is_one_complaint() -> None:
    budget = {"money": 1, "server_minute": 3}
    value = {"schema": 1, "id": "0001-a", "title": "t", "kind": "config", "target": "t", "question": "q"}
    with pytest.raises(BadFileError) as caught:
        ProposalHeader.from_mapping({**value, "budget": budget}, "p.toml")
    said = "'p.toml': 'budget.server_minute': unknown key, the nearest known key is 'server_minutes'; correct it there"
    assert str(caught.value) == said


def test_where_any_key_may_stand_none_is_known() -> None:
    assert known_keys(Target, ("baseline", "flags")) == ()
    assert known_keys(Target, ("baseline",)) == ("command", "flags", "env", "witness", "private")
    assert known_keys(Target, ())[:2] == ("schema", "name")


def test_what_concerns_the_whole_file_is_said_without_a_library_s_words() -> None:
    value = {"schema": 1, "blocks": 2, "level": 0.05, "numerics": {"policy": "identical"}}
    primary = {"metric": "total_tok_s", "load": 3, "smallest_effect_pct": 10}
    with pytest.raises(BadFileError) as caught:
        Criteria.from_mapping({**value, "primary": primary}, "criteria.toml")
    said = "'criteria.toml': primary names load 3, which the ladder [1, 2, 4, 8, 8, 4, 2, 1] never reaches"
    assert str(caught.value) == f"{said}; correct it there"
