"""`committee import` and `imported`: history on record once, marked as not measured here, conflicts shown."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from committee.cli.app import app
from harness.vocabulary.base import BadFileError
from ledger.entries import ImportedPage, Reference, Supersession
from tests.committee.accept.sample import Bench, make_bench
from tests.committee.importing.test_llama_bench import as_json, row

LAYERS = r"recurrent layers=(\d+) (?:個帶 GDN|層是遞迴)"


def ran(bench: Bench, *words: str) -> Any:
    return CliRunner().invoke(app, [*words, "--workspace", str(bench.workspace.folder)])


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return make_bench(tmp_path)


def written(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_pages_come_in_once_and_disagreement_is_shown(bench: Bench, tmp_path: Path) -> None:
    page = written(tmp_path, "page.md", "| 線 | 狀態 |\n|---|---|\n| 48 個帶 GDN | 開 |\n")
    done = ran(bench, "import", "page", page, "--language", "zh-TW", "--quantity", LAYERS)
    assert (done.exit_code, done.stdout) == (0, "imported as entry 1: 3 pieces of 'page.md'; not measured here\n")
    other = written(tmp_path, "telemetry.txt", "65 層裡有 49 層是遞迴的。\n")
    done = ran(bench, "import", "page", other, "--quantity", LAYERS, "--title", "telemetry")
    assert "sources disagree: 48 (page.md); 49 (telemetry)" in done.stdout
    again = ran(bench, "import", "page", page)
    assert isinstance(again.exception, BadFileError)
    assert "imported already, as entry 1; nothing was added (--quantity names" in str(again.exception)
    other_tongue = ran(bench, "import", "page", page, "--language", "de")
    assert "as entry 1 in 'zh-TW', which stays, not 'de'" in str(other_tongue.exception)
    ((_, kept), _) = bench.ledger.of(ImportedPage)
    assert bench.ledger.read_blob(kept.source.sha256).decode() == "".join(piece.text for piece in kept.pieces)


def test_numbers_can_be_named_later_and_nothing_is_lost(bench: Bench, tmp_path: Path) -> None:
    page = written(tmp_path, "page.md", "48 個帶 GDN，16 層注意力\n")
    assert ran(bench, "import", "page", page, "--language", "zh-TW", "--title", "頁").exit_code == 0
    done = ran(bench, "import", "page", page, "--quantity", LAYERS, "--person", "Ada")
    said = "imported again as entry 2, in the place of entry 1: '頁' with recurrent layers named; not measured here\n"
    assert (done.exit_code, done.stdout) == (0, said)
    more = ran(bench, "import", "page", page, "--quantity", r"attention layers=(\d+) 層注意力")
    assert "in the place of entry 2" in more.stdout
    first, _, last = (kept for _, kept in bench.ledger.of(ImportedPage))
    named = [(one.name, one.value) for piece in last.pieces for one in piece.quantities]
    assert named == [("recurrent layers", "48"), ("attention layers", "16")]
    assert (last.title, last.language, last.source) == (first.title, "zh-TW", first.source)
    assert [piece.text for piece in last.pieces] == [piece.text for piece in first.pieces]
    replaced = [(mark.by, mark.person) for _, mark in bench.ledger.of(Supersession)]
    assert replaced[0] == (bench.ledger.of(ImportedPage)[1][0].id, "Ada")
    other = written(tmp_path, "telemetry.txt", "65 層裡有 49 層是遞迴的。\n")
    assert "disagree: 48 (頁); 49 (telemetry.txt)" in ran(bench, "import", "page", other, "--quantity", LAYERS).stdout
    corrected = ran(bench, "import", "page", other, "--quantity", r"recurrent layers=(\d+) 層裡")
    assert "disagree: 48 (頁); 65 (telemetry.txt)" in corrected.stdout, "named again, it is found anew"
    assert "#1 頁: 1 pieces, zh-TW" in (shown := ran(bench, "imported").stdout) and ", replaced by #4\n" in shown


@pytest.mark.parametrize("words", [(), ("--quantity", r"layers of clay=(\d+) of clay")])
def test_naming_nothing_later_adds_nothing(bench: Bench, tmp_path: Path, words: tuple[str, ...]) -> None:
    page = written(tmp_path, "page.md", "48 個帶 GDN\n")
    assert ran(bench, "import", "page", page).exit_code == 0
    again = ran(bench, "import", "page", page, *words)
    assert isinstance(again.exception, BadFileError)
    assert "as entry 1" in str(again.exception)
    assert len(bench.ledger.of(ImportedPage)) == 1


def test_results_of_another_engine_stand_beside_a_target(bench: Bench, tmp_path: Path) -> None:
    file = written(tmp_path, "bench.json", as_json(row(), row(n_gen=0, n_prompt=512, avg_ts=640.0)))
    done = ran(bench, "import", "llama-bench", file, "--target", "local-llamacpp")
    assert done.exit_code == 0
    assert "2 results beside local-llamacpp; not measured here" in done.stdout
    ((_, kept),) = bench.ledger.of(Reference, target="local-llamacpp")
    assert [one.test for one in kept.results] == ["tg128", "pp512"]
    shown = ran(bench, "imported").stdout
    assert "another engine's numbers" in shown
    assert "tg128: 38.90 tok/s ± 0.10 inside one run" in shown
    bench.measure("m-000001")
    ranked = ran(bench, "rank", "slots").stdout
    assert ranked.index("four-slots") < ranked.index("in no ranking") < ranked.index("pp512: 640.00 tok/s")
    assert json.loads(ran(bench, "imported", "--json").stdout)["references"][0]["build"] == "8e7f22b 10353"


def test_nothing_imported(bench: Bench) -> None:
    assert ran(bench, "imported").stdout == "Nothing was imported.\n"


@pytest.mark.parametrize(
    ("what", "name", "content", "words"),
    [
        ("page", "none.md", None, "is no file"),
        ("page", "latin.md", b"\xe9\xff", "not UTF-8"),
        ("llama-bench", "odd.json", b"[]", "no result"),
    ],
)
def test_files_that_cannot_be_brought(
    bench: Bench, tmp_path: Path, what: str, name: str, content: bytes | None, words: str
) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    done = ran(bench, "import", what, str(path), "--target", "local-llamacpp")
    assert isinstance(done.exception, BadFileError)
    assert words in str(done.exception)
    assert list(bench.ledger.entries()) == []


def test_an_unknown_target_is_refused(bench: Bench, tmp_path: Path) -> None:
    file = written(tmp_path, "bench.json", as_json(row()))
    done = ran(bench, "import", "llama-bench", file, "--target", "nowhere")
    assert isinstance(done.exception, BadFileError)
    assert bench.ledger.of(Reference) == []
