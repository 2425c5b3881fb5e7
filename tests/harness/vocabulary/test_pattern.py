"""A pattern is searched for only if its work on a line is bounded by how it is built."""

import json
import re
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.vocabulary.pattern import MAX_AFTER, MAX_COUNT, MAX_LINE, MAX_PATTERN, slowness

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        (r".*.*.*.*ZZZ", "beside one that can end anywhere"),
        (r"a*a*a*a*b", "beside one that can end anywhere"),
        (r"a{2,}a{,}b", "beside one that can end anywhere"),
        (r"(x+x+)\{0}y", "beside one that can end anywhere"),
        (r".*a+b", "beside one that can end anywhere"),
        (r"\x61+a+b", "beside one that can end anywhere"),
        (r"a+?a*?b", "beside one that can end anywhere"),
        (r"(?:a|a)*b", "repeats a group"),
        (r"((a+))+b", "repeats a group"),
        (r"(a{1,30}){1,30}b", "repeats a group"),
        (r"(?:.*.*){9}z", "repeats a group"),
        (r"(?P<x>a)?b", "repeats a group"),
        (f"a{{{MAX_COUNT + 1}}}", f"more than {MAX_COUNT} times"),
        (f"a{{{MAX_COUNT + 1},}}", f"more than {MAX_COUNT} times"),
        ("(a|a)(a|a)(a|a)(a|a)(a|a)b", "more than 16 ways"),
        ("a?a?a?a?a?b", "more than 16 ways"),
        ("a{0,9}a{0,9}b", "more than 16 ways"),
        ("a|" * 16 + "b", "more than 16 ways"),
        (r"(a)\1", "looks around or back"),
        (r"(?P<x>a)(?P=x)", "looks around or back"),
        (r"(?=a)b", "looks around or back"),
        (r"(?i)a+A", "looks around or back"),
        (".*" + "a" * MAX_AFTER + "b", "too much after"),
        ("a" * (MAX_PATTERN + 1), "longer than"),
    ],
)
def test_work_that_is_not_bounded_is_told(pattern: str, words: str) -> None:
    assert words in (slowness(pattern) or "")


@pytest.mark.parametrize(
    "pattern",
    [
        r"K \(q8_0\)", r"n_batch\s+= 1024", r"size [()]+ \)+", r"size = .*K \(q8_0\)", r"[^=]+=\s*\d+", r"a{3,5}b?",
        r"Flash Attention (?:was )(set|put) to (enabled|disabled)", r"a\{b", r"x{}y", r"[]a]+ [^]]+",
    ],
)  # fmt: skip
def test_what_people_write_is_admitted(pattern: str) -> None:
    re.compile(pattern)
    assert slowness(pattern) is None


def test_every_shipped_pattern_is_admitted() -> None:
    values: list[Any] = [tomllib.loads(path.read_text()) for path in (ROOT / "targets").glob("*.toml")]
    values += [tomllib.loads(path.read_text()) for path in (ROOT / "proposals").glob("*/arms/*.toml")]
    values += [json.loads(path.read_text()) for path in (ROOT / "recordings").glob("**/*.json")]
    found = {pattern for value in values for pattern in _patterns(value)}
    assert len(found) >= 6
    assert {pattern: slowness(pattern) for pattern in found} == dict.fromkeys(found)


def _patterns(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("pattern"), str):
            yield value["pattern"]
        value = list(value.values())
    for inner in value if isinstance(value, list) else ():
        yield from _patterns(inner)


@pytest.mark.parametrize(
    "pattern", [".*" + "a" * (MAX_AFTER - 1) + "b", "(a|a)(a|a)(a|a)(a|a)a+b", ".*(a|a)(aaa|aaa)b", "[a-z]+" + "a{32}b"]
)
def test_the_worst_that_is_admitted_ends(pattern: str) -> None:
    assert slowness(pattern) is None
    began = time.process_time()
    assert re.search(pattern, "a" * MAX_LINE) is None
    assert time.process_time() - began < 2  # about 0.1 s; what is refused takes hours
