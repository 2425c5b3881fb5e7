"""`committee brief --unfuse` and `committee review --differential` as typed."""

import json
from pathlib import Path

from ledger.entries import Response, ReviewRun
from tests.committee.cli import yard


def test_the_reviews_come_back_and_a_recorded_one_has_no_later_round(tmp_path: Path) -> None:
    workspace = yard.make(tmp_path / "w")
    assert yard.typed(workspace, "committee", "review", "1", "--differential").code == 0
    done = yard.typed(workspace, "committee", "brief", "1", "--unfuse", str(tmp_path / "out"))
    assert done.code == 0, done.err
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == ["first.json", "first.review.json", "second.json", "second.review.json"]
    review = json.loads((tmp_path / "out" / "first.review.json").read_text())
    assert review["hypotheses"][0]["arm"]["name"] == "no-pause"
    raw = {one.raw.sha256 for one in yard.on_record(workspace, Response) if isinstance(one, Response)}
    assert len(raw) == 2
    runs = [one for one in yard.on_record(workspace, ReviewRun) if isinstance(one, ReviewRun)]
    assert [(one.round, one.differential) for one in runs] == [("first", True)]
    again = yard.typed(workspace, "committee", "brief", "1", "--unfuse", str(tmp_path / "out"))
    assert again.code == 2 and "name a new folder" in again.err


def test_both_prompts_are_shown_before_anything_is_sent(tmp_path: Path) -> None:
    workspace = yard.make(tmp_path / "w")
    (workspace / "proposals" / yard.PROPOSAL / "evidence").mkdir()
    (workspace / "proposals" / yard.PROPOSAL / "evidence" / "a.c").write_text("int a; // the order\n")
    live = '[[reviewer]]\nname = "live"\nkind = "openai"\nbase_url = "http://127.0.0.1:9/v1"\nmodel = "m"\n'
    with (workspace / "committee.toml").open("a") as file:
        file.write(live)
    shown = yard.typed(workspace, "committee", "review", "1", "--dry-run", "--differential")
    assert shown.code == 0, shown.err
    first, without = shown.out.split("--- to live (live, without comments) ---")
    assert "the order" in first and "the order" not in without and "1| int a;" in without
    assert "--- to first (recorded, without comments)" not in shown.out
    assert "without comments) ---" not in yard.typed(workspace, "committee", "review", "1", "--dry-run").out
