"""Fusing is undone byte for byte, and a brief that does not hold just what was said is refused."""

import json
from pathlib import Path

import pytest

from committee.brief.unfuse import unfused, write_unfused
from committee.fuse.fuse import fuse
from committee.testing.gullible import gullible
from committee.workflow.graph import start
from committee.workflow.rounds import told_in
from committee.workflow.state import Stage
from harness.vocabulary.base import BadFileError
from ledger.entries import Brief
from ledger.store import Ledger
from tests.committee.workflow.office import PROPOSAL, office
from tests.committee.workflow.test_rounds import committee


async def briefed(folder: Path) -> list[bytes]:
    """A brief of two reviewers with a second look; what the server sent."""
    async with gullible() as server:
        with office(folder, committee(server, "refuter+ada", "sober+bob")) as desk:
            assert (await start(desk, PROPOSAL, Stage.BRIEF)).ended == ""
        return server.bodies


async def test_each_review_comes_back_byte_for_byte(tmp_path: Path) -> None:
    sent = await briefed(tmp_path)
    with Ledger.open(tmp_path / "records.db", actor="test") as ledger:
        brief = ledger.of(Brief)[0][1]
        reviews = unfused(ledger, brief)
        fused = fuse(told_in(ledger, brief.run), [])
    assert sorted(one.received for one in reviews) == sorted(sent)
    assert {one.file for one in reviews} == {"ada.json", "bob.json", "ada.second-look.json", "bob.second-look.json"}
    assert sum(one.hypotheses for one in reviews) == len(fused.hypotheses) == len(brief.hypotheses)
    inside = {one.file: json.loads(one.review) for one in reviews}
    assert inside["ada.second-look.json"]["hypotheses"][0]["refutes"] == "H1"
    written = write_unfused(tmp_path / "out", reviews)
    assert {path.read_bytes() for path in written if "review" not in path.name} == set(sent)
    assert len(written) == 8
    with pytest.raises(BadFileError, match="is there already and not empty"):
        write_unfused(tmp_path / "out", reviews)


async def test_a_brief_that_lacks_or_adds_a_word_is_refused(tmp_path: Path) -> None:
    await briefed(tmp_path)
    with Ledger.open(tmp_path / "records.db", actor="test") as ledger:
        brief = ledger.of(Brief)[0][1]
        short = brief.model_copy(update={"hypotheses": brief.hypotheses[:-1]})
        with pytest.raises(BadFileError, match="does not hold just what its reviews say"):
            unfused(ledger, short)
        changed = told_in(ledger, brief.run)[0].model_copy(update={"mechanism": "never said"})
        ledger.append(changed)
        with pytest.raises(BadFileError, match="is read otherwise today than it was recorded"):
            unfused(ledger, brief)
