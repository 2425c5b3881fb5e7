"""`committee deploy`: what it refuses, what it says, and what production runs afterwards."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from committee.cli.consenting import ask_consent
from committee.deploy.deploying import wanted
from harness.cli.speak import NEGATIVE, USAGE
from harness.vocabulary.base import BadFileError
from ledger.entries import Deployment
from tests.committee.cli.yard import production
from tests.committee.deploy.yard import FAST, REFUSING, SLOW, DeployYard, make_yard

YES = ("--yes", "--users-accept")


@pytest.fixture
def yard(ws: Path) -> Iterator[DeployYard]:
    made = make_yard(ws)
    with made.bench.ledger:
        yield made


def test_what_is_not_in_force_or_not_as_it_was_accepted_is_refused(yard: DeployYard) -> None:
    said = yard.committee("deploy", "0001", *YES)
    assert said.code == NEGATIVE and "no arm of '0001-quicker' was accepted" in said.err
    first = yard.accept(FAST, "measure-000001")
    said = yard.committee("deploy", "0001", "--target", "another", *YES)
    assert said.code == USAGE and "is for target 'small', not 'another'" in said.err
    said = yard.committee("deploy", "0001", *YES)
    assert (
        said.code == NEGATIVE and "does not run, so there is nothing to go back to; 'harness start small'" in said.err
    )
    place, ledger = yard.bench.workspace, yard.bench.ledger
    with pytest.raises(BadFileError, match="would be taken down for that time; say --yes if that may be"):
        ask_consent(place, ledger, wanted(place, ledger, "small", "Ada"), yes=False, stops=True)
    second = yard.accept(SLOW, "measure-000002")
    said = yard.committee("deploy", f"#{first.seq}", *YES)
    assert said.code == NEGATIVE
    assert f"#{first.seq} of 'fast' is not in force on 'small', slow (acceptance #{second.seq}) is; go back" in said.err
    (yard.folder / "proposals" / "0001-quicker" / "PROPOSAL.md").write_text("another question\n")
    said = yard.committee("deploy", "0001", *YES)
    assert (
        said.code == NEGATIVE and f"the ticket of slow (acceptance #{second.seq}) has expired: revision was" in said.err
    )
    assert yard.outcomes() == ["begun", "refused", "refused"]
    assert yard.bench.ledger.of(Deployment)[-1][1].detail in said.err


@pytest.mark.system
def test_it_goes_into_production_or_the_former_one_comes_back(yard: DeployYard) -> None:
    with production(yard.folder):
        entry = yard.accept(FAST, "measure-000001")
        assert yard.harness("attest", "small").code == NEGATIVE
        said = yard.committee("deploy", "0001", "--users-accept")
        assert said.code == USAGE and "would be taken down for that time; say --yes if that may be" in said.err
        assert said.out.startswith(
            "Production of small is away for about 3.0 s while it starts with fast (acceptance #"
        )
        assert yard.outcomes() == []
        said = yard.committee("deploy", "0001", *YES)
        assert said.code == 0 and f"deployed fast (acceptance #{entry.seq}): small is up with the new" in said.out, said
        assert yard.harness("attest", "small").code == 0 and yard.outcomes() == ["begun", "deployed"]
        last = yard.bench.ledger.of(Deployment)[-1][1]
        assert (last.acceptance, last.target, last.away_s is not None) == (entry.id, "small", True)
        again = yard.committee("deploy", "0001")
        assert again.code == 0 and "runs this baseline already" in again.out and "away for about" not in again.out
        bad = yard.accept(REFUSING, "measure-000002")
        said = yard.committee("deploy", f"#{bad.seq}", *YES)
        assert said.code == NEGATIVE and "is not deployed: the new baseline did not come up" in said.err, said
        assert "the former baseline is production again: pid" in said.err
        assert yard.outcomes()[-2:] == ["begun", "failed"]
        restored = yard.harness("restore", "small")
        assert restored.code == 0 and "from before its files were changed" in restored.out
        back = ("rollback", "small", "--reason", "it does not start", "--users-accept")
        said = yard.committee(*back)
        assert said.code == 0 and "small runs this baseline already" in said.out, said
        assert yard.in_force() == "fast" and yard.harness("attest", "small").code == 0
        said = yard.committee(*back)
        assert said.code == USAGE and "say --yes if that may be" in said.err and yard.in_force() == "fast"
        said = yard.committee(*back, "--yes")
        assert said.code == 0 and "deployed the baseline that a person wrote: small is up with" in said.out, said
        assert yard.in_force() is None and yard.harness("attest", "small").code == 0
        assert yard.outcomes()[-4:] == ["begun", "deployed", "begun", "deployed"]
