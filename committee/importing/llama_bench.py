"""Pure: results of llama-bench (JSON, JSON lines, CSV, SQL) as another engine's numbers, with its traps named (A8).

Formats: https://github.com/ggml-org/llama.cpp/blob/master/tools/llama-bench/README.md, option -o.
"""

import csv
import io
import json
import math
import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from harness.vocabulary.base import BadFileError
from harness.workflow.lint import lint_words
from ledger.entries.imported import ReferenceResult

SETTINGS = (
    "n_batch", "n_ubatch", "n_threads", "type_k", "type_v", "n_gpu_layers", "split_mode", "main_gpu", "no_kv_offload",
    "flash_attn", "tensor_split", "use_mmap", "load_mode", "n_cpu_moe", "embeddings", "n_depth", "devices",
)  # fmt: skip
SAME_PCT = 0.2  # settings that should matter and agree this closely were probably not applied
MATTERS = ("split_mode", "tensor_split", "main_gpu", "devices")
MOST_ROWS = 100_000
MOST_TOKENS = 10**12  # of one test
TABLES = ("llama_bench", "test")  # the table of -o sql, now and in earlier builds

Row = Mapping[str, Any]


@dataclass(frozen=True)
class BenchFile:
    """A file of results."""

    build: str
    model: str
    results: tuple[ReferenceResult, ...]
    cautions: tuple[str, ...]


def read(text: str, where: str) -> BenchFile:
    """Rows in any of the four formats. Raises BadFileError."""
    rows = _rows(text, where)
    if not rows:
        raise BadFileError(f"{where!r} holds no result of llama-bench; write it with -o json")
    varying = [name for name in SETTINGS if len({str(row.get(name, "")) for row in rows}) > 1]
    results = tuple(_result(row, place, varying, where) for place, row in enumerate(rows, start=1))
    builds = sorted({_build(row) for row in rows})
    models = sorted({str(row.get("model_filename", "")) for row in rows})
    return BenchFile("; ".join(builds), "; ".join(models), results, tuple(_cautions(rows, results, builds, models)))


def _rows(text: str, where: str) -> list[Row]:
    bare = text.lstrip("\ufeff \t\r\n")
    try:
        if bare.startswith("["):
            found = json.loads(bare)
        elif bare.startswith("{"):
            found = [json.loads(line) for line in bare.splitlines() if line.strip()]
        elif bare.upper().startswith(("CREATE TABLE", "INSERT INTO", "BEGIN")):
            found = _from_sql(bare)
        else:
            found = list(csv.DictReader(io.StringIO(bare)))
    except (ValueError, RecursionError, sqlite3.Error, csv.Error) as error:
        raise BadFileError(f"{where!r} is not whole or not of llama-bench ({error}); write it again") from error
    rows: list[Row] = [row for row in found if isinstance(row, dict) and "avg_ts" in row]
    if len(rows) < len(found):
        raise BadFileError(f"{where!r} has a row without avg_ts; it is not of llama-bench, or not whole")
    if len(rows) > MOST_ROWS:
        raise BadFileError(f"{where!r} has more than {MOST_ROWS} rows; import it in parts")
    return rows


def _from_sql(script: str) -> list[Row]:
    """Rows of the file's one table, run in a database of its own in memory that can read or write no file."""
    with closing(sqlite3.connect(":memory:")) as scratch:
        scratch.set_authorizer(_only_this_table)
        scratch.executescript(script)
        scratch.row_factory = sqlite3.Row
        tables = [row["name"] for row in scratch.execute("SELECT name FROM sqlite_master") if row["name"] in TABLES]
        if len(tables) != 1:
            raise ValueError(f"it fills none or several of the tables {', '.join(TABLES)}")
        return [dict(row) for row in scratch.execute(f"SELECT * FROM {tables[0]}")]  # noqa: S608 - a constant of ours


def _only_this_table(action: int, first: str | None, _second: str | None, *_: str | None) -> int:
    """Creating, filling and reading tables in memory; no attaching, no pragma, no function but conversions."""
    allowed = {
        sqlite3.SQLITE_CREATE_TABLE, sqlite3.SQLITE_INSERT, sqlite3.SQLITE_READ, sqlite3.SQLITE_SELECT,
        sqlite3.SQLITE_TRANSACTION, sqlite3.SQLITE_UPDATE,
    }  # fmt: skip
    inside = action != sqlite3.SQLITE_UPDATE or (first or "").startswith("sqlite_")
    return sqlite3.SQLITE_OK if action in allowed and inside else sqlite3.SQLITE_DENY


def _result(row: Row, place: int, varying: Sequence[str], where: str) -> ReferenceResult:
    """One row, its place in the file counted from 1. Raises BadFileError with one sentence."""
    asked = [_whole(row.get(name)) for name in ("n_prompt", "n_gen", "n_depth")]
    rate, spread = _figure(row["avg_ts"]), _figure(row.get("stddev_ts") or 0)
    if any(count is None for count in asked) or not any(asked[:2]):
        raise BadFileError(
            f"row {place} of {where!r} says no whole numbers of tokens in n_prompt and n_gen; write it again"
        )
    if rate is None or spread is None or rate == 0:
        said = f"the rate {_shown(row['avg_ts'])} and the spread {_shown(row.get('stddev_ts'))}"
        raise BadFileError(
            f"row {place} of {where!r} has {said}: it measured nothing, since a rate is above 0 and finite"
        )
    samples = row.get("samples_ts")
    return ReferenceResult(
        test=_test(*(count or 0 for count in asked)),
        settings=tuple(sorted((name, str(row.get(name, ""))) for name in varying)),
        tok_s=rate,
        sd_tok_s=spread or None,  # the 0 that is written for a single repetition is none
        samples=len(samples) if isinstance(samples, list) and samples else 1,
    )


def _figure(said: object) -> float | None:
    """A finite number of at least 0; none for anything else."""
    try:
        value = float(str(said))
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None


def _whole(said: object) -> int | None:
    """A whole number of at least 0, 0 where nothing stands; none for anything else."""
    value = _figure(said or 0)
    return int(value) if value is not None and value.is_integer() and value <= MOST_TOKENS else None


def _shown(said: object) -> str:
    return repr(str(said)[:20])


def _test(prompt: int, generated: int, depth: int) -> str:
    parts = [f"pp{prompt}" if prompt else "", f"tg{generated}" if generated else ""]
    return "+".join(part for part in parts if part) + (f" @ d{depth}" if depth else "")


def _build(row: Row) -> str:
    return " ".join(str(row[name]) for name in ("build_commit", "build_number") if row.get(name))


def _cautions(
    rows: Sequence[Row], results: Sequence[ReferenceResult], builds: Sequence[str], models: Sequence[str]
) -> Iterable[str]:
    if len(builds) > 1:
        yield f"rows of {len(builds)} builds stand in one file: {', '.join(builds)}"
    if len(models) > 1:
        yield f"rows of {len(models)} model files stand in one file"
    if all(one.samples < 2 for one in results):
        yield "one repetition a row, or none kept: nothing here says how far a repeat would differ"
    yield from _one_card(rows)
    yield from _repeated(results)
    yield from _alike(results)
    yield from _together(rows)
    yield from _words(rows)


def _one_card(rows: Sequence[Row]) -> Iterable[str]:
    """A split of one number in several rows, alike or not: a comma was read as a sweep."""
    splits = [str(row.get("tensor_split", "")) for row in rows]
    asked = [split for split in splits if split.strip("0.")]
    if len(splits) > 1 and asked and all("/" not in split for split in splits):
        yield (
            f"tensor_split is one number in every row ({', '.join(sorted(set(splits)))}) and none names two cards: a "
            "comma was read as a sweep, and everything ran on one card"
        )


def _repeated(results: Sequence[ReferenceResult]) -> Iterable[str]:
    """Rows that differ in nothing that was set: a list with equal entries was read as a sweep, or files were joined."""
    counted = Counter((one.test, one.settings) for one in results)
    for (test, _), count in counted.items():
        if count > 1:
            yield f"{test}: {count} rows have the same settings; a list of equal entries is a sweep of equal settings"


def _alike(results: Sequence[ReferenceResult]) -> Iterable[str]:
    """Rows of one test that differ in where the model lies and agree closely: the setting was probably not applied."""
    for test in dict.fromkeys(one.test for one in results):
        same = [one for one in results if one.test == test and one.tok_s > 0]
        moved = [one for one in same if any(name in MATTERS for name, _ in one.settings)]
        if len(moved) < 2 or len({one.settings for one in moved}) < 2:
            continue
        widest = max(100 * abs(a.tok_s / b.tok_s - 1) for a, b in combinations(moved, 2))
        if widest <= SAME_PCT:
            yield (
                f"{test}: {len(moved)} placements over cards agree within {widest:.2f} %: check that every card took "
                "weights"
            )


def _together(rows: Sequence[Row]) -> Iterable[str]:
    """Keys and values that change only together: lists that were paired by position."""
    pairs = {(str(row.get("type_k", "")), str(row.get("type_v", ""))) for row in rows}
    keys, values = {key for key, _ in pairs}, {value for _, value in pairs}
    if len(keys) > 1 and len(pairs) == len(keys) == len(values):
        yield (
            "type_k and type_v change only together, as lists do that are paired by position: which of the two a "
            "difference comes from is not shown"
        )


def _words(rows: Sequence[Row]) -> Iterable[str]:
    """What rules that need no start say of each row's own settings."""
    said: dict[str, None] = {}
    for row in rows:
        words = ["llama-bench"]
        for name, flag in (("type_v", "ctv"), ("flash_attn", "fa")):
            if name in row:
                words.append(f"-{flag}={str(row[name]).lower().replace('false', '0').replace('true', '1')}")
        said |= dict.fromkeys(one.finding.sentence for one in lint_words(tuple(words)))
    yield from said
