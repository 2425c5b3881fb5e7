"""A reviewer's patch from its words to a verdict: applied, read by a person, put on the host, compiled and measured."""

import difflib
import json
import shutil
from pathlib import Path

import pytest

from ledger.entries import Launch, Verdict
from tests.committee.arms import decode_server
from tests.committee.cli import yard

pytestmark = [pytest.mark.system, pytest.mark.alone]  # it measures what a loop costs
SOURCE = Path(decode_server.__file__).with_name("decode.c")
ROOT = str(Path(__file__).parents[3])
COLUMNS = "    for (int c = 0; c < COLUMNS; c++)\n        for (int r = 0; r < ROWS; r++)\n            y[r] +="
ROWS = "    for (int r = 0; r < ROWS; r++)\n        for (int c = 0; c < COLUMNS; c++)\n            y[r] +="
WRONG = ROWS.replace("c = 0;", "c = 1;")  # leaves a column out: as fast, and other words


def patch(loops: str, way: str) -> str:
    """A unified diff of the source against one with other loops, which says so in the server's log."""
    before = SOURCE.read_text()
    after = before.replace(COLUMNS, loops).replace("by columns", way)
    lines = difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), "a/kernel/decode.c", "b/kernel/decode.c"
    )
    return "".join(lines)


def review_of(name: str, loops: str, way: str) -> str:
    """A recorded review that proposes one patch and cites the loop that it changes."""
    review = json.loads(yard.recording(name, 0.0005))
    (told,) = review["answer"]["hypotheses"]
    seen = [{"source": "log", "pattern": f"decode kernel: {way}"}]
    told["arm"] = {"name": name, "title": "", "flags": {}, "env": {}, "patch": patch(loops, way), "witness": seen}
    told["mechanism"] = "the inner loop strides over whole rows, so every load is another line of the cache"
    told["citations"] = [{"file": "kernel/decode.c", "line": 28, "quote": "y[r] += weights[r * COLUMNS + c] * x[c];"}]
    return json.dumps(review)


def make(folder: Path) -> Path:
    """A workspace whose server compiles `decode.c`, and two reviewers with a patch of it: a right and a wrong one."""
    workspace, source = yard.make(folder / "w"), folder / "decode.c"
    shutil.copy(SOURCE, source)
    (folder / "arms").mkdir()
    command = json.dumps(["{python}", "-m", "tests.committee.arms.decode_server", str(source)])
    target = workspace / "targets" / "small.toml"
    text = yard.TARGET.replace(f'["{{python}}", {json.dumps(yard.SERVER)}]', command).replace(
        "token-s = 0.005", "token-s = 0.0"
    )
    text = text.replace("flags = {", f"env = {{ PYTHONPATH = {json.dumps(ROOT)} }}\nflags = {{", 1)
    target.write_text(
        f"{text}[[sources.compiled]]\npath = {json.dumps(str(source))}\n"
        f'into = "kernel/decode.c"\n[[allowed_overlays]]\npath = {json.dumps(str(source))}\nmode = "in-place"\n'
        f"sources = {json.dumps(str(folder / 'arms'))}\n"
    )
    proposal = workspace / "proposals" / yard.PROPOSAL
    shutil.rmtree(proposal / "arms")
    (proposal / "criteria.toml").write_text(yard.CRITERIA.replace("steps = [1, 2, 1]", "steps = [2]"))
    (workspace / "recordings" / "first.json").write_text(review_of("by-rows", ROWS, "by rows"))
    (workspace / "recordings" / "second.json").write_text(review_of("too-few", WRONG, "all but one"))
    return workspace


def test_a_patch_is_measured_only_after_a_yes_and_the_file_comes_back(tmp_path: Path) -> None:
    workspace = make(tmp_path)
    assert yard.typed(workspace, "committee", "pull", "1").code == 0
    reviewed = yard.typed(workspace, "committee", "review", "1")
    assert reviewed.code == 0, reviewed.err
    brief = (workspace / "proposals" / yard.PROPOSAL / "brief.md").read_text()
    assert "### by-rows" in brief and "### too-few" in brief and brief.count("**Needs a person's yes**") == 2
    early = yard.typed(workspace, "committee", "measure", "1")
    assert early.code == 2 and "--approve" in early.err
    for arm in ("by-rows", "too-few"):
        assert yard.typed(workspace, "committee", "approve", "1", arm, "--yes", "--person", "Ada").code == 0
    measured = yard.ran(workspace, "committee", "measure", "1", "--yes")
    assert measured.code == 0, measured
    assert (tmp_path / "decode.c").read_text() == SOURCE.read_text()

    found = {
        one.arm_name: one for one in yard.on_record(workspace, Verdict) if isinstance(one, Verdict) and one.primary
    }
    right, wrong = found["by-rows"], found["too-few"]
    assert (right.validity, right.speed, right.numerics) == ("VALID", "FASTER", "IDENTICAL")
    assert wrong.numerics == "CHANGED" and right.interval is not None and right.interval.estimate_pct > 50
    assert len([one for one in yard.on_record(workspace, Launch) if isinstance(one, Launch)]) == 8
    taken = yard.typed(
        workspace, "committee", "approve", "1", "by-rows", "--withdraw", "--reason", "measured once is enough"
    )
    assert taken.code == 0
    again = yard.typed(workspace, "committee", "measure", "1", "--arm", "by-rows")
    assert again.code == 2 and "--approve" in again.err
