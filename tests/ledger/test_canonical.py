"""What is written here equals the library's canonical form, byte for byte, for every value that has one."""

import math

import pytest
import rfc8785
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.canonical import NotCanonicalError, canonical_bytes, digest

SCALARS = st.none() | st.booleans() | st.integers(-(2**54), 2**54) | st.floats() | st.text()
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4), max_leaves=8
)
EDGES = (0.0, -0.0, 1e-4, 9.9e-5, 1e16, 1e15 + 0.5, 2.0**53, 2.0**53 - 1, 1e21, 5e-324, 1e-7, 123456.0, 0.1 + 0.2)


@given(VALUES)
@settings(max_examples=200)
def test_the_same_bytes_as_the_library(value: object) -> None:
    try:
        wanted = rfc8785.dumps(value)  # type: ignore[arg-type]
    except (rfc8785.CanonicalizationError, UnicodeEncodeError):
        with pytest.raises(NotCanonicalError):
            canonical_bytes(value)
    else:
        assert canonical_bytes(value) == wanted


@pytest.mark.parametrize("value", [sign * edge for edge in EDGES for sign in (1, -1)])
def test_numbers_at_the_edges(value: float) -> None:
    for one in (value, math.nextafter(value, math.inf), math.nextafter(value, -math.inf)):
        assert canonical_bytes([one]) == rfc8785.dumps([one])


def test_the_published_example() -> None:
    value = {
        "\u20ac": "Euro Sign",
        "\r": "CR",
        "\ufb33": "Dagesh",
        "1": "One",
        "\U0001f600": "Smiley",
        "\x80": "C",
        "ö": "o",
    }
    assert canonical_bytes(value) == rfc8785.dumps(value)
    assert canonical_bytes({"numbers": [333333333.33333329, 1e30, 4.50, 2e-3, 1e-27]}) == (
        b'{"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27]}'
    )
    assert digest({}) == "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"


@pytest.mark.parametrize("value", [math.nan, math.inf, 2**53, "\ud800", {"\ud800": 1}, {1: 2}, b"x", {"a": {2}}])
def test_what_has_no_form(value: object) -> None:
    with pytest.raises(NotCanonicalError, match="no canonical JSON form"):
        canonical_bytes(value)
