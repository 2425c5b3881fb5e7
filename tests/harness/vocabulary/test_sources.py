"""What `committee pull` may fetch: each file once, to a plain place below kernel/."""

from typing import Any

import pytest

from harness.vocabulary.base import BadFileError
from harness.vocabulary.listed import Sources

ONE = {"path": "/srv/a.cu", "into": "kernel/a.cu"}


def test_a_list_that_can_be_fetched() -> None:
    made = Sources.from_mapping({"compiled": [ONE], "architectures": ["sm_70"], "help": ["x", "--help"]}, "t")
    assert (made.compiled[0].into, made.architectures) == ("kernel/a.cu", ("sm_70",))


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"compiled": [ONE | {"into": "kernel/b/../../arms/a.toml"}]}, "must be a plain path below kernel/"),
        ({"compiled": [ONE | {"into": "kernel/b//a.cu"}]}, "must be a plain path below kernel/"),
        ({"compiled": [ONE | {"into": "arms/a.toml"}]}, "does not have the form"),
        ({"compiled": [ONE | {"path": "a.cu"}]}, "must be an absolute path"),
        ({"compiled": [ONE, ONE | {"path": "/srv/b.cu"}]}, "have the into 'kernel/a.cu'; keep one"),
        ({"compiled": [ONE, ONE | {"into": "kernel/b.cu"}]}, "have the path '/srv/a.cu'; keep one"),
        ({"architectures": ["volta"]}, "does not have the form"),
    ],
)
def test_what_cannot_be_fetched_is_refused(value: dict[str, Any], words: str) -> None:
    with pytest.raises(BadFileError, match=words):
        Sources.from_mapping(value, "t")
