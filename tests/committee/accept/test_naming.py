"""What a person means by a name, and the one exit code where nothing of it was accepted."""

from pathlib import Path

from committee.accept.naming import NoneAccepted, acceptance_named
from tests.committee.accept.sample import make_bench
from tests.committee.cli.yard import typed


def test_nothing_accepted_is_a_negative_answer_of_all_four_commands(tmp_path: Path) -> None:
    bench = make_bench(tmp_path)
    assert isinstance(acceptance_named(bench.workspace, bench.ledger, "slots"), NoneAccepted)
    for words in (
        ("ticket", "local-llamacpp"),
        ("ticket", "slots"),
        ("deploy", "slots", "--yes"),
        ("watch", "local-llamacpp", "--once"),
        ("rollback", "local-llamacpp", "--reason", "no gain", "--yes"),
    ):
        said = typed(bench.workspace.folder, "committee", *words)
        assert (said.code, said.err.count("\n")) == (1, 1) and "accepted" in said.err, (words, said)
    assert typed(bench.workspace.folder, "committee", "ticket", "nobody").code == 2
