"""Criteria are complete before anything is measured."""

from typing import Any

import pytest

from harness.vocabulary.base import BadFileError
from harness.vocabulary.criteria import DEFAULTS, Criteria
from harness.vocabulary.metrics import METRICS, NOT_COMPARED, ProtocolName, lower_is_better, metric_of
from harness.vocabulary.outcome import LOWER_IS_BETTER, Metric
from ledger.canonical import digest

GOOD: dict[str, Any] = {
    "schema": 1,
    "blocks": 4,
    "level": 0.05,
    "ladder": {"steps": [1, 2, 4, 2, 1], "tokens": 64},
    "primary": {"metric": "total_tok_s", "load": 4, "smallest_effect_pct": 10},
    "numerics": {"policy": "identical"},
}


def test_good_criteria_are_read() -> None:
    criteria = Criteria.from_mapping(GOOD, "criteria.toml")
    assert criteria.primary.load == 4
    assert criteria.ladder.steps == (1, 2, 4, 2, 1)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"primary": {"metric": "total_tok_s", "load": 8, "smallest_effect_pct": 10}}, "never reaches"),
        ({"primary": {"metric": "speed", "load": 4, "smallest_effect_pct": 10}}, "primary.metric"),
        ({"primary": {"metric": "total_tok_s", "load": 4, "smallest_effect_pct": 0}}, "smallest_effect_pct"),
        ({"guard": [{"metric": "ttft_ms", "load": 8, "margin_pct": 10}]}, "guard names load 8"),
        ({"numerics": {"policy": "report"}}, "needs a reason"),
        ({"numerics": {"policy": "quality", "reason": "r"}}, "needs min_quality"),
        ({"gates": ["ready", "vibes"]}, "gates"),
        ({"blocks": 1}, "blocks"),
        ({"level": 0.5}, "level"),
        ({"ladder": {"steps": [4, 0]}}, r"ladder\.steps\.1.*must be at least 1"),
        ({"ladder": {"steps": [4, -2]}}, r"ladder\.steps\.1.*must be at least 1"),
        ({"ladder": {"steps": [4, 1025]}}, r"ladder\.steps\.1.*must be at most 1024"),
        ({"ladder": {"steps": [4] * 65}}, r"ladder\.steps.*at most 64"),
        ({"ladder": {"steps": []}}, r"ladder\.steps.*at least 1"),
    ],
)
def test_incomplete_criteria_are_refused(change: dict[str, Any], said: str) -> None:
    with pytest.raises(BadFileError, match=said):
        Criteria.from_mapping({**GOOD, **change}, "criteria.toml")


def of(protocol: str, primary: dict[str, Any], **tables: Any) -> dict[str, Any]:
    """Criteria of another protocol than the ladder."""
    shared = {key: GOOD[key] for key in ("schema", "blocks", "level", "numerics")}
    return {**shared, "protocol": protocol, "primary": {"smallest_effect_pct": 10, **primary}, **tables}


# What the criteria above were dumped as before there was any protocol but the ladder. Ledgers hold such objects, and
# an order's plan is compared with them, so no byte may change.
RECORDED = (
    '{"schema":1,"protocol":"ladder","ladder":{"steps":[1,2,4,2,1],"tokens":64,"request_timeout_s":300.0},'
    '"blocks":4,"level":0.05,"primary":{"metric":"total_tok_s","load":4,"smallest_effect_pct":10.0},'
    '"guard":[{"metric":"ttft_ms","load":1,"margin_pct":15.0}],'
    '"numerics":{"policy":"identical","reason":"","min_quality":null},"gates":["ready","armed","coherent"],'
    '"capability":null}'
)


def test_criteria_recorded_before_there_were_other_protocols_keep_every_byte() -> None:
    written = {**GOOD, "guard": [{"metric": "ttft_ms", "load": 1, "margin_pct": 15}]}
    criteria = Criteria.from_mapping(written, "criteria.toml")
    assert criteria.model_dump_json(by_alias=True) == RECORDED
    assert digest(criteria.model_dump(mode="json", by_alias=True)) == (
        "6d8da020349039df066b0dca4e080c35e203c055e526f383adbf99e0b7aa4291"
    )
    assert Criteria.model_validate_json(RECORDED) == criteria


@pytest.mark.parametrize("protocol", list(ProtocolName))
def test_every_protocol_has_settings_and_a_metric_that_is_compared(protocol: ProtocolName) -> None:
    compared = [metric for metric in METRICS[protocol] if metric not in NOT_COMPARED]
    settings = DEFAULTS[protocol]
    sizes = settings.sizes
    primary = {"metric": compared[0], "load": settings.loads[-1]} | ({"size": sizes[-1]} if sizes else {})
    criteria = Criteria.from_mapping(of(protocol, primary), "criteria.toml")
    assert criteria.settings == settings
    assert criteria.metrics == tuple(compared)
    assert criteria.primary.name == (f"{compared[0]}@{sizes[-1]}" if sizes else compared[0])
    dumped = criteria.model_dump(mode="json", by_alias=True)
    assert Criteria.model_validate(dumped) == criteria
    assert set(dumped) & set(ProtocolName) == {"ladder"}  # a table that the file does not have is not in the record


def test_a_table_that_is_given_is_read_and_recorded() -> None:
    written = of(
        "documents", {"metric": "cold_ttft_ms", "load": 2, "size": 512}, documents={"lengths": [512], "users": [2]}
    )
    criteria = Criteria.from_mapping(written, "criteria.toml")
    assert (criteria.settings.loads, criteria.settings.sizes) == ((2,), (512,))
    assert criteria.model_dump(mode="json", by_alias=True)["documents"]["lengths"] == [512]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (of("mixed", {"metric": "cold_ttft_ms", "load": 8}), "does not compare; it has user_tok_s"),
        (of("soak", {"metric": "failures", "load": 4}), "does not compare"),  # counts have no logarithm
        (of("mixed", {"metric": "ttft_ms", "load": 4}), r"the mixed \[8\] never reaches"),
        (of("documents", {"metric": "cold_ttft_ms", "load": 1}), "names size None"),
        (of("documents", {"metric": "cold_ttft_ms", "load": 1, "size": 5}), "names size 5"),
        (of("mixed", {"metric": "ttft_ms", "load": 8, "size": 64}), "has no sizes"),
        (of("mixed", {"metric": "ttft_ms", "load": 8}, soak={}), r"\[soak\] is given but the protocol is 'mixed'"),
        (of("chess", {"metric": "ttft_ms", "load": 8}), "protocol"),
    ],
)
def test_what_a_protocol_cannot_answer_is_refused(value: dict[str, Any], said: str) -> None:
    with pytest.raises(BadFileError, match=said):
        Criteria.from_mapping(value, "criteria.toml")


@pytest.mark.parametrize(
    ("protocol", "table", "said"),
    [
        ("documents", {"lengths": [64, 64]}, "lengths must grow"),
        ("shared_document", {"users": [2, 8]}, "users must hold 1"),
        ("soak", {"seconds": 60, "sample_s": 10}, "looks fall after the plateau"),
        ("time_limit", {"limit_s": 3600}, "above limit_s"),
        ("identity", {"users": 1}, "users"),
        ("coherence", {"tokens": 99}, "tokens"),
        ("tool_calls", {"least": 9}, "least"),
        ("vision", {"sides": [5000]}, "sides"),
    ],
)
def test_settings_that_measure_nothing_are_refused(protocol: str, table: dict[str, Any], said: str) -> None:
    settings = DEFAULTS[ProtocolName(protocol)]
    size = {"size": settings.sizes[-1]} if settings.sizes else {}
    compared = next(metric for metric in METRICS[ProtocolName(protocol)] if metric not in NOT_COMPARED)
    primary = {"metric": compared, "load": settings.loads[0], **size}
    with pytest.raises(BadFileError, match=said):
        Criteria.from_mapping(of(protocol, primary, **{protocol: table}), "criteria.toml")


def test_names_with_a_size_keep_their_metric() -> None:
    assert metric_of("cold_ttft_ms@16384") is Metric.COLD_TTFT_MS
    assert lower_is_better("cold_ttft_ms@16384") and not lower_is_better("prefill_tok_s@16384")
    assert not LOWER_IS_BETTER & NOT_COMPARED
    assert {metric for metrics in METRICS.values() for metric in metrics} == set(Metric)
    with pytest.raises(ValueError, match="speed"):
        metric_of("speed@4")
