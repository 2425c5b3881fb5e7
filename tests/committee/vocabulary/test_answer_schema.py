"""The schema sent with a request: flat, pinned to this request, and no wider than the border."""

import json
from dataclasses import replace

from committee.vocabulary.answer_schema import AnswerOf, compact_schema, full_schema
from committee.vocabulary.exclusion import Reason
from committee.vocabulary.review import ReviewAnswer
from harness.vocabulary.target import Allowed

OF = AnswerOf(
    nonce="c0ffee",
    proposal="0001-a",
    files=("PROPOSAL.md", "criteria.toml"),
    allowed_flags={
        "n-parallel": Allowed(type="int", min=1, max=8),
        "cache-type-k": Allowed(type="choice", values=("f16", "q8_0")),
        "flash-attn": Allowed(type="bool"),
    },
    loads=(4, 1, 2, 4),
)


def test_full_schema_pins_nonce_files_and_loads() -> None:
    schema = full_schema(OF)
    assert schema["required"] == ["nonce", "proposal", "count", "hypotheses"]
    assert schema["properties"]["nonce"] == {"const": "c0ffee"}
    hypothesis = schema["properties"]["hypotheses"]["items"]["properties"]
    assert hypothesis["predicted"]["properties"]["load"] == {"enum": [1, 2, 4]}
    assert hypothesis["citations"]["items"]["properties"]["file"] == {"enum": ["PROPOSAL.md", "criteria.toml"]}
    assert "$ref" not in json.dumps(schema)


def test_full_schema_names_the_keys_of_the_strict_model() -> None:
    schema = full_schema(OF)
    assert set(schema["properties"]) == set(ReviewAnswer.model_fields)


def test_compact_schema_asks_for_a_fixed_count_and_only_allowed_flags() -> None:
    schema = compact_schema(OF, hypotheses=2)
    listed = schema["properties"]["hypotheses"]
    assert (listed["minItems"], listed["maxItems"], schema["properties"]["count"]) == (2, 2, {"const": 2})
    flags = listed["items"]["properties"]["arm"]["properties"]["flags"]["anyOf"]
    assert [list(one["properties"].items()) for one in flags] == [
        [("cache-type-k", {"enum": ["f16", "q8_0"]})],
        [("flash-attn", {"enum": [True, False]})],
        [("n-parallel", {"enum": [1, 2, 4, 8]})],
    ]


def test_compact_schema_does_not_offer_what_is_in_force() -> None:
    listed = compact_schema(replace(OF, in_force={"n_parallel": 1, "cache-type-k": "f16", "flash-attn": True}))
    flags = listed["properties"]["hypotheses"]["items"]["properties"]["arm"]["properties"]["flags"]["anyOf"]
    assert [one["properties"] for one in flags] == [
        {"cache-type-k": {"enum": ["q8_0"]}},
        {"flash-attn": {"enum": [False]}},
        {"n-parallel": {"enum": [2, 4, 8]}},
    ]


def test_compact_schema_without_allowed_flags_asks_for_no_arm() -> None:
    of = AnswerOf("n", "p", (), {}, (1,))
    assert compact_schema(of)["properties"]["hypotheses"]["items"]["properties"]["arm"] == {"type": "null"}


def test_the_longest_compact_answer_is_a_review_of_at_most_1100_characters() -> None:
    longest = {
        "nonce": "c" * 12, "proposal": "0001-" + "a" * 40, "count": 1,
        "hypotheses": [{
            "mechanism": "m" * 160,
            "predicted": {
                "metric": "streaming_tok_s", "load": 4, "direction": "down", "low_pct": -60, "high_pct": -10,
            },
            "falsifier": "f" * 100, "citations": [],
            "arm": {"name": "a" * 13, "flags": {"cache-type-k": "q8_0"}},
        }],
    }  # fmt: skip
    text = json.dumps(longest)
    assert ReviewAnswer.model_validate_json(text).count == 1
    assert len(text) < 1100  # about 3 characters a token: within 350 tokens


def test_reasons_are_their_own_codes() -> None:
    assert all(reason.value == reason.name.lower() for reason in Reason)
