"""A second run makes only what changed, and the folder ends as a whole run would have left it."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from committee.report.outlook import Outlook
from committee.report.site import SiteError, Written, write_site
from committee.report.site.names import SiteLinks, file_name
from committee.score.reviewer_pages import reviewer_contents
from committee.vocabulary.language import Language
from ledger.entries import Exclusion, Invalidation, NotApplied, Parked, Payload
from ledger.store import Ledger
from tests.committee.report.sample import (
    KNOBS,
    TARGET,
    Effect,
    Plan,
    append_acceptance,
    append_arms,
    append_past,
    append_proposal,
    append_review,
    append_run,
    fingerprint,
    state,
)
from tests.committee.report.test_page import EVIL

FIRST = Plan(run="measure-first-000001", proposal=KNOBS, effects={"one": Effect(40.0), "two": Effect(1.0)}, sd_pct=0.5)


def contents(folder: Path) -> Mapping[str, bytes]:
    """Every page's bytes."""
    return {file.name: file.read_bytes() for file in folder.glob("*.html")}


def test_nothing_is_made_again_where_nothing_changed(struck: Ledger, site: Path, found: Mapping[str, str]) -> None:
    times = {file: file.stat().st_mtime_ns for file in site.iterdir()}
    assert write_site(struck, site, more=reviewer_contents) == Written(0, len(found), 0)
    assert {file: file.stat().st_mtime_ns for file in site.iterdir()} == times


def test_a_page_that_was_edited_or_lost_is_made_again(struck: Ledger, site: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(site, tmp_path / "copy"))
    before = contents(folder)
    (folder / "rests.html").write_text("edited", encoding="utf-8")
    (folder / "reviewer-glm.html").unlink()
    assert write_site(struck, folder, more=reviewer_contents) == Written(2, len(before) - 2, 0)
    assert contents(folder) == before


def test_another_entry_outlook_or_language_makes_the_pages_that_it_concerns(empty: Ledger, tmp_path: Path) -> None:
    folder = tmp_path / "site"
    append_run(empty, FIRST)
    pages = write_site(empty, folder).made
    moved = write_site(empty, folder, outlook=Outlook(target_sha256={TARGET: "f" * 64}))
    assert moved == Written(3, pages - 3, 0)  # another next step: on the first, the proposal's and the target's page
    assert "measured against an older baseline" in (folder / "index.html").read_text(encoding="utf-8")
    write_site(empty, folder)
    empty.append(Parked(subject="x", proposal=None, reason="seen twice", person="Ada"))
    assert write_site(empty, folder) == Written(2, pages - 2, 0)  # the first page and the month's
    write_site(empty, tmp_path / "whole")
    assert contents(folder) == contents(tmp_path / "whole")
    assert write_site(empty, folder, Language.ZH_TW).kept == 0


def steps() -> tuple[Payload | str, ...]:
    """What may be recorded next, one after the other; a name stands for several entries."""
    return (
        "review", "run", state("measure-x-000001", "taken_down", "SIGTERM sent"), "acceptance",
        Parked(subject="not understood", proposal=KNOBS, reason="seen twice", person="Ada"), "second run", "past",
        NotApplied(
            arm=fingerprint("two"), arm_name="two", target=TARGET, run=FIRST.run, reason="nothing gained", person="Ada"
        ),
        Exclusion(run="review-20260804-knobs", attempt=None, reviewer="gemma", reason="timed_out", detail="60 s"),
        "strike", "rename", "contradiction",
    )  # fmt: skip


def take(ledger: Ledger, step: Payload | str) -> None:
    """Append one step."""
    if isinstance(step, Payload):
        ledger.append(step)
    elif step == "review":
        append_review(ledger)
    elif step == "run":
        append_run(ledger, FIRST)
    elif step == "acceptance":
        verdicts = {entry.payload.as_json()["arm_name"]: entry.id for entry in ledger.entries("verdict")}
        measured = append_run(ledger, Plan(run="measure-more-000001", proposal=KNOBS, effects={"one": Effect(40.0)}))
        assert verdicts
        append_acceptance(ledger, "one", Plan(run="measure-more-000001", proposal=KNOBS, effects={}), measured, None)
    elif step == "second run":
        append_proposal(ledger, "0009-later", "Another question", "Does it help?")
        append_run(ledger, Plan(run="measure-later-00001", proposal="0009-later", effects={"three": Effect(4.0)}))
    elif step == "past":
        append_past(ledger)
    elif step == "strike":
        launch = next(iter(ledger.entries("launch")))
        ledger.append(Invalidation(subject=launch.id, fact=None, reason="throttled", person="Ada"))
    elif step == "rename":
        append_arms(ledger, KNOBS, ["one", "four"])
    else:
        append_run(ledger, Plan(run="measure-again-00001", proposal=KNOBS, effects={"one": Effect(0.0)}, sd_pct=0.5))


@pytest.mark.system
def test_step_by_step_ends_as_at_once_and_keeps_what_did_not_change(empty: Ledger, tmp_path: Path) -> None:
    kept = 0
    for number, step in enumerate(steps()):
        take(empty, step)
        done = write_site(empty, tmp_path / "grown", more=reviewer_contents)
        whole = write_site(empty, tmp_path / f"whole-{number}", more=reviewer_contents)
        assert contents(tmp_path / "grown") == contents(tmp_path / f"whole-{number}"), step
        assert done.made + done.kept == whole.made
        kept += done.kept
    assert kept > 60


def test_pages_that_are_no_more_are_removed_and_nothing_else(empty: Ledger, tmp_path: Path) -> None:
    folder = tmp_path / "site"
    append_run(empty, FIRST)
    write_site(empty, folder)
    (folder / "mine.txt").write_text("kept", encoding="utf-8")
    listed = json.loads((folder / "site.json").read_text(encoding="utf-8"))
    listed["pages"]["old.html"] = listed["pages"]["../mine.html"] = {"inputs": "", "content": ""}
    listed["state"] = ""
    (folder / "site.json").write_text(json.dumps(listed), encoding="utf-8")
    (folder / "old.html").write_text("", encoding="utf-8")
    (tmp_path / "mine.html").write_text("kept", encoding="utf-8")
    assert write_site(empty, folder).removed == 1
    assert not (folder / "old.html").exists()
    assert (folder / "mine.txt").read_text(encoding="utf-8") == (tmp_path / "mine.html").read_text(encoding="utf-8")


def test_a_folder_of_something_else_is_refused_and_left_alone(empty: Ledger, tmp_path: Path) -> None:
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "index.html").write_text("mine", encoding="utf-8")
    with pytest.raises(SiteError, match=r"is not empty and holds no site\.json; name a new folder, or that of a site"):
        write_site(empty, tmp_path / "thesis")
    assert [file.name for file in (tmp_path / "thesis").iterdir()] == ["index.html"]
    with pytest.raises(SiteError, match="is a file; name a folder for the site"):
        write_site(empty, tmp_path / "thesis" / "index.html")


@pytest.mark.parametrize("broken", ["", "[]", '{"format": 1}', '{"format": 2, "pages": {}, "state": ""}', "{"])
def test_a_list_that_cannot_be_read_costs_one_whole_run(empty: Ledger, tmp_path: Path, broken: str) -> None:
    whole = write_site(empty, tmp_path / "site")
    (tmp_path / "site" / "site.json").write_text(broken, encoding="utf-8")
    assert write_site(empty, tmp_path / "site") == whole


def test_hostile_names_are_text_and_plain_files(empty: Ledger, tmp_path: Path) -> None:
    plan = Plan(run="measure-hostile", proposal="../../" + EVIL, effects={EVIL: Effect(40.0), "../x": Effect(1.0)})
    append_proposal(empty, "../../" + EVIL, EVIL, EVIL)
    append_arms(empty, "../../" + EVIL, [EVIL, "../x"])
    append_run(empty, plan)
    write_site(empty, tmp_path / "site")
    pages = contents(tmp_path / "site")
    assert len(pages) + 1 == len(list((tmp_path / "site").iterdir())) and len(list(tmp_path.iterdir())) == 3
    for name, page in pages.items():
        assert set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-.")
        assert b"<script" not in page and b"<img" not in page and b"\x1b" not in page
        assert "\u202e" not in page.decode() and page.count(b"</style>") == 1


def test_names_that_look_alike_never_share_a_file() -> None:
    names = ["a b", "a-b", "A-b", "a_b", "", "..", "x" * 200, "x" * 201, "數", "字"]
    files = [file_name("setting", name) for name in names]
    assert len({file.lower() for file in files}) == len(names)
    assert files[1] == "setting-a-b.html" and file_name("rests", "") == "rests.html"
    links = SiteLinks.of([("run", "a")])
    assert (links.to("run", "a"), links.to("run", "b"), links.to("run", None)) == ("run-a.html", "", "")
