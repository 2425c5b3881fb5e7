"""The optional tables of a run that is not a fixed number of blocks: accepted, left out of a dump, refused."""

from typing import Any

import pytest
from pydantic import ValidationError

from harness.vocabulary.criteria import Criteria
from harness.vocabulary.sequential import Design

PLAIN: dict[str, Any] = {
    "schema": 1,
    "blocks": 6,
    "level": 0.01,
    "primary": {"metric": "total_tok_s", "load": 4, "smallest_effect_pct": 1},
    "numerics": {"policy": "report", "reason": "a test"},
}
LOOKS = {"count": 5, "planned_effect_pct": 3}


def test_criteria_without_these_tables_are_dumped_as_before_they_existed() -> None:
    plain = Criteria.model_validate(PLAIN)
    assert plain.design.is_fixed and plain.design == Design()
    assert not {"looks", "screen", "controls", "budget"} & set(plain.model_dump(mode="json", by_alias=True))


def test_the_tables_come_back_from_a_dump() -> None:
    given = PLAIN | {
        "looks": LOOKS,
        "screen": {"keep": 2},
        "controls": [{"arm": "nothing", "kind": "no-op"}],
        "budget": {"server_minutes": 90},
    }
    read = Criteria.model_validate(given)
    assert Criteria.model_validate(read.model_dump(mode="json", by_alias=True)) == read
    assert read.design.kind_of("nothing") == "no-op" and read.design.kind_of("other") is None
    assert not read.design.is_fixed


@pytest.mark.parametrize(
    ("tables", "sentence"),
    [
        ({"looks": LOOKS, "blocks": 5}, "5 looks need at least 6 blocks, not 5"),
        ({"looks": LOOKS | {"planned_effect_pct": 0.5}}, "lies below the smallest that matters"),
        (
            {"controls": [{"arm": "a", "kind": "no-op"}, {"arm": "a", "kind": "cheat"}]},
            "control 'a' is planted twice",
        ),
        (
            {"screen": {"keep": 1}, "capability": {"check": "context_tokens", "value": 9}},
            "which a capability does not ask for",
        ),
    ],
)
def test_a_design_that_does_not_fit_is_refused_in_a_sentence(tables: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValidationError, match=sentence):
        Criteria.model_validate(PLAIN | tables)
