"""A target as it was accepted before an entry: what was accepted since does not count."""

from pathlib import Path

from committee.accept.accept import accept
from committee.accept.as_of import target_as_of
from ledger.entries import Acceptance
from tests.committee.accept.sample import FOUR, Q8, make_bench


def test_only_what_was_accepted_before_counts(tmp_path: Path) -> None:
    made = make_bench(tmp_path)
    with made.ledger as ledger:
        file = made.workspace.folder / "targets" / "local-llamacpp.toml"
        for run, arm in (("m-000001", FOUR), ("m-000002", Q8)):
            made.measure(run, arm)
            outcome = accept(made.workspace, ledger, "0001", arm.name, "a reason", "Ada Example")
            assert isinstance(outcome, Acceptance), outcome
        first, second = (entry.seq for entry, _ in ledger.of(Acceptance))
        before = target_as_of(ledger, file, first).baseline.flags
        between = target_as_of(ledger, file, second).baseline.flags
        after = target_as_of(ledger, file, second + 1)
        assert before["n-parallel"] == 1 and before["cache-type-k"] == "f16"
        assert between["n-parallel"] == 4 and between["cache-type-k"] == "f16"
        assert after.baseline.flags["n-parallel"] == 4 and after.baseline.flags["cache-type-k"] == "q8_0"
        assert after == made.workspace.target("local-llamacpp")[0]
