"""On a real llama.cpp server: an acceptance goes into production, is in force by the engine's own words, and back."""

from pathlib import Path

import pytest

from committee.accept.accept import accept
from ledger.entries import Acceptance, Deployment
from tests.committee.accept.sample import FOUR, make_bench
from tests.committee.cli.yard import typed

NAME = "local-llamacpp"
PROPOSAL = "0001-slots"


@pytest.mark.system
@pytest.mark.alone
def test_an_accepted_arm_goes_into_production_and_back(tmp_path: Path) -> None:
    bench = make_bench(tmp_path)
    ws = bench.workspace.folder
    file = ws / "targets" / f"{NAME}.toml"
    passive = '[baseline.env]\nOMP_WAIT_POLICY = "passive"  # a busy machine gets its cores back\n\n[endpoint]\n'
    file.write_text(file.read_text(encoding="utf-8").replace("[endpoint]\n", passive, 1), encoding="utf-8")
    with bench.ledger as ledger:
        bench.measure("measure-000001")
        try:
            assert typed(ws, "harness", "start", NAME).code == 0
            made = accept(bench.workspace, ledger, PROPOSAL, FOUR.name, "four users wait less", "Ada")
            assert isinstance(made, Acceptance), made
            said = typed(ws, "committee", "deploy", PROPOSAL, "--yes", "--person", "Ada")
            assert said.code == 0 and "deployed four-slots (acceptance #" in said.out, said
            seen = typed(ws, "harness", "attest", NAME)
            assert seen.code == 0 and "n-parallel: asked 4, in force 4  same" in seen.out, seen
            said = typed(ws, "committee", "rollback", NAME, "--reason", "texts got worse", "--yes", "--person", "Ada")
            assert said.code == 0 and "deployed the baseline that a person wrote" in said.out, said
            seen = typed(ws, "harness", "attest", NAME)
            assert seen.code == 0 and "n-parallel: asked 1, in force 1  same" in seen.out, seen
            assert [one.outcome for _, one in ledger.of(Deployment)] == ["begun", "deployed"] * 2
        finally:
            typed(ws, "harness", "stop", NAME)
