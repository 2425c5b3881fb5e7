"""What `transformers serve` is asked for: only fields it knows, and no more tokens than wanted."""

from pathlib import Path

from harness.adapters import ADAPTERS, Place
from tests.harness.vocabulary.test_target import target


def test_it_is_asked_with_the_fields_that_it_takes() -> None:
    assert ADAPTERS["transformers"].sampling(24) == (("max_tokens", 24),)


def test_the_port_is_put_where_the_command_names_it() -> None:
    made = target(baseline={"command": ["serve", "--port", "{port}"], "flags": {"device": "cpu"}})
    words = ADAPTERS["transformers"].argv(made, None, Place("launch-1", 4321, Path()))
    assert words == ("serve", "--port", "4321", "--device", "cpu")
