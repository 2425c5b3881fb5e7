"""The accepted file reads back as what was written, whatever the values hold."""

import tomllib

from hypothesis import given
from hypothesis import strategies as st

from committee.accept.baseline import as_toml
from harness.vocabulary.accepted import Accepted
from harness.vocabulary.base import Scalar
from tests.committee.accept.test_message import ACCEPTANCE

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
KEYS = st.from_regex(r"[A-Za-z][A-Za-z0-9_.-]{0,10}", fullmatch=True)
SCALARS: st.SearchStrategy[Scalar] = st.one_of(
    st.booleans(), st.integers(-(2**53), 2**53), st.floats(allow_nan=False, allow_infinity=False), TEXT
)


MODELS = st.none() | st.just('/models/a "quoted" \\ name.gguf')


@given(st.dictionaries(KEYS, SCALARS, max_size=4), st.dictionaries(KEYS, TEXT, max_size=4), MODELS)
def test_reads_back(flags: dict[str, Scalar], env: dict[str, str], model: str | None) -> None:
    accepted = Accepted.model_validate(
        {
            "schema": 1, "target": "t", "flags": flags, "env": env, "proposal": "0001-x", "arm": "a",
            "fingerprint": "b" * 64, "ledger_head": "c" * 64, "model": model,
        }
    )  # fmt: skip
    assert Accepted.model_validate(tomllib.loads(as_toml(accepted, ACCEPTANCE))) == accepted
