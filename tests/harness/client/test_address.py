"""Taking an address apart, and the bytes of a request."""

import json
import re

import pytest

from harness.client.address import Address, post


@pytest.mark.parametrize(
    ("url", "address", "name"),
    [
        ("http://127.0.0.1:8080/v1/x", Address("127.0.0.1", 8080, False, "/v1/x"), "127.0.0.1:8080"),
        ("http://[::1]:8080/v1/x?a=b", Address("::1", 8080, False, "/v1/x?a=b"), "[::1]:8080"),
        ("https://models.example/v1", Address("models.example", 443, True, "/v1"), "models.example:443"),
        ("http://localhost", Address("localhost", 80, False, "/"), "localhost:80"),
    ],
)
def test_an_address_is_taken_apart(url: str, address: Address, name: str) -> None:
    assert Address.of(url) == address
    assert address.name == name


@pytest.mark.parametrize(
    "url",
    [
        "127.0.0.1:8080/v1",
        "ftp://host/v1",
        "http:///v1",
        "http://host:99999/v1",
        "http://host/v1\r\nX-Evil: 1",
        "http://host/a b",
        "http://[::1/v1",
    ],
)
def test_what_is_no_address_is_said_with_what_to_give(url: str) -> None:
    with pytest.raises(ValueError, match=re.escape(f"{url!r} is no address of a server")) as said:
        Address.of(url)
    assert "give http://HOST:PORT" in str(said.value)


def test_a_request_carries_its_length_and_asks_for_a_plain_stream() -> None:
    raw = post(Address("::1", 81, False, "/v1/x"), {"prompt": "Grüße 世界"})
    head, _, body = raw.partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    assert lines[0] == "POST /v1/x HTTP/1.1"
    assert {"Host: [::1]:81", "Accept-Encoding: identity", "Connection: close"} <= set(lines)
    assert f"Content-Length: {len(body)}" in lines
    assert json.loads(body) == {"prompt": "Grüße 世界"}


def test_nan_never_leaves() -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        post(Address("h", 81, False, "/"), {"temperature": float("nan")})
