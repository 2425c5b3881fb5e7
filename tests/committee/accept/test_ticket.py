"""A ticket holds until something it binds changes, and then it says which, in one sentence with old and new."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from committee.accept.accept import accept
from committee.accept.ticket import Checked, check, ticket_of
from harness.modelview import models
from ledger.canonical import digest, sha256_hex
from ledger.entries import Acceptance, Gate, Invalidation, Launch, Model, ModelFile, Ticket
from ledger.in_force import Decided, course_of
from tests.committee.accept.sample import FOUR, Q8, Bench, make_bench
from tests.committee.cli.yard import Said, typed, value
from tests.ledger.examples import machine

TARGET = "local-llamacpp"
PARTS = [
    "revision", "arm", "measurements", "controls", "model file", "driver", "cards", "target file", "ledger head",
]  # fmt: skip


@contextmanager
def accepted(folder: Path) -> Iterator[Bench]:
    """A workspace with one accepted arm on a target with a model file."""
    made = make_bench(folder)
    target = made.workspace.folder / "targets" / f"{TARGET}.toml"
    model(made).write_bytes(b"weights")
    text = target.read_text().replace("users = 4\n", 'users = 4\nmodel_flag = "model"\n')
    target.write_text(text.replace("[baseline.flags]\n", f'[baseline.flags]\nmodel = "{model(made)}"\n'))
    with made.ledger:
        made.measure("m-000001")
        made.ledger.append(machine("m-000001").model_copy(update={"driver": None, "cards": ()}))
        assert isinstance(accept(made.workspace, made.ledger, "0001", FOUR.name, "it is faster", "Ada"), Acceptance)
        yield made


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """One for all tests, which put back what they change."""
    with accepted(tmp_path_factory.mktemp("ticket")) as made:
        yield made


def model(bench: Bench) -> Path:
    return bench.workspace.folder.parent / "model.gguf"


def in_force(bench: Bench) -> Decided:
    """The acceptance that is in force."""
    decided = course_of(bench.ledger, TARGET).now
    assert decided is not None
    return decided


def kept(bench: Bench) -> Ticket:
    """Its ticket."""
    ticket = ticket_of(bench.ledger, in_force(bench)[0].id)
    assert ticket is not None
    return ticket


def now(bench: Bench, ticket: Ticket | None = None) -> Checked:
    """The ticket of what is in force, looked at."""
    return check(bench.workspace, bench.ledger, in_force(bench), ticket or kept(bench))


def shown(bench: Bench, *words: str) -> Said:
    """What the command says."""
    return typed(bench.workspace.folder, "committee", "ticket", *words)


def test_it_binds_every_part_and_holds(bench: Bench) -> None:
    entry, acceptance = in_force(bench)
    ticket, parts = kept(bench), {part.name: part.value for part in kept(bench).parts}
    assert list(parts) == PARTS and ticket.sha256 == digest([part.model_dump() for part in ticket.parts])
    assert parts["revision"] == acceptance.tree and parts["arm"].startswith(f"{FOUR.fingerprint} attested ")
    assert parts["measurements"].startswith("2 launches, 6 gates, 0 trials, 1 verdict ")
    assert parts["controls"] == "placebo -1.0 to +1.0 %"
    assert parts["model file"] == f"{model(bench)} {sha256_hex(b'weights')}"
    assert (parts["driver"], parts["cards"]) == ("no card", "no card")
    assert parts["target file"] == bench.workspace.target(TARGET)[1]
    assert parts["ledger head"] == f"{entry.seq} {entry.id}"
    with_cards = ["driver", "cards"] if Path("/dev/nvidiactl").exists() else []  # a machine with cards says so
    assert [said.split(" was ")[0] for said in now(bench).expired] == with_cards
    assert now(bench).holds is not bool(with_cards)


def test_any_part_that_differs_is_named_with_old_and_new(bench: Bench) -> None:
    ticket = kept(bench)
    other = tuple(part.model_copy(update={"value": f"other {'a' * 64}"}) for part in ticket.parts)
    said = now(bench, ticket.model_copy(update={"parts": other})).expired
    assert len(said) == len(PARTS)
    for sentence, part in zip(said, ticket.parts, strict=True):
        assert sentence.startswith(f"{part.name} was other aaaaaaaaaaaa, is {part.value[:8]}")


def test_what_lies_in_the_workspace_is_looked_at(bench: Bench) -> None:
    target = bench.workspace.folder / "targets" / f"{TARGET}.toml"
    for path, name in ((bench.folder / "PROPOSAL.md", "revision"), (target, "target file")):
        before = path.read_bytes()
        path.write_bytes(before + b"\n")
        (said,) = now(bench).expired
        path.write_bytes(before)
        assert said.startswith(f"{name} was ") and ", is " in said
        assert len(said) < 200
    model(bench).rename(model(bench).with_name("away"))
    (said,) = now(bench).expired
    model(bench).with_name("away").rename(model(bench))
    assert said.endswith(f"is {model(bench)} is not there")
    assert now(bench).holds


def test_a_model_file_that_is_not_the_one_that_was_measured_expires_it(bench: Bench) -> None:
    (seen,) = models([str(model(bench))])
    for sample, size, said in (("a" * 64, 9, ("was 9 bytes, sample aaaaaaaaaaaa, is 7 bytes, ",)), ("", 7, ())):
        file = ModelFile(
            name="model.gguf",
            **{**seen, "bytes": size, "sha256": None, "sample_sha256": sample or seen["sample_sha256"]},
        )
        bench.ledger.append(
            Model(run="m-000001", target=TARGET, launch="m-000001/0", arm=FOUR.fingerprint, files=(file,))
        )
        expired = now(bench).expired
        assert len(expired) == len(said)
        for sentence, part in zip(expired, said, strict=True):
            assert sentence.startswith(f"model file {model(bench)} is not the one that was measured: {part}")


def test_the_command_says_what_it_is_and_that_it_holds(bench: Bench) -> None:
    said = shown(bench, TARGET)
    assert said.code == 0 and "It holds: nothing it binds has changed." in said.out
    assert f"acceptance #{in_force(bench)[0].seq}: four-slots for {TARGET}" in said.out and "not signed" in said.out
    as_json = value(shown(bench, TARGET, "--json"))
    assert as_json["holds"] is True and list(as_json["parts"]) == PARTS
    assert as_json["commit"] == {"id": bench.git("rev-parse", "HEAD"), "signature": "not signed", "by": "", "how": ""}
    lines = typed(bench.workspace.folder, "committee", "log", "--kind", "acceptance").out.splitlines()
    (line,) = [one for one in lines if one.startswith(f"{in_force(bench)[0].seq} ")]
    assert f"commit {bench.git('rev-parse', 'HEAD')[:12]} not signed" in line
    assert (
        value(typed(bench.workspace.folder, "committee", "show", str(in_force(bench)[0].seq)))["commit"]
        == (as_json["commit"])
    )
    by_number = shown(bench, f"#{in_force(bench)[0].seq}")
    assert by_number.out == said.out


def test_a_name_that_names_no_acceptance_is_one_sentence(bench: Bench) -> None:
    said = shown(bench, "nobody")
    assert said.code == 2 and "'nobody' names no acceptance, no proposal and no target; accepted is: #" in said.err


def test_an_acceptance_of_before_has_none(bench: Bench) -> None:
    acceptance = in_force(bench)[1]
    entry = bench.ledger.append(acceptance.model_copy(update={"target": "another"}))
    said = shown(bench, f"#{entry.seq}")
    assert said.code == 1 and "has no ticket: it was made before there were tickets" in said.err


def test_what_is_said_and_recorded_later_expires_it(tmp_path: Path) -> None:
    with accepted(tmp_path) as bench:
        struck(bench)
        (_, gate), *_ = bench.ledger.of(Gate, run="m-000001")
        bench.ledger.append(gate)
        (said,) = now(bench).expired
        assert said.startswith("measurements was 2 launches, 6 gates, 0 trials, 1 verdict ")
        assert ", is 2 launches, 7 gates, 0 trials, 1 verdict " in said
        before, ticket = in_force(bench), kept(bench)
        bench.measure("m-000002", Q8)
        assert isinstance(accept(bench.workspace, bench.ledger, "0001", Q8.name, "smaller", "Ada"), Acceptance)
        expired = check(bench.workspace, bench.ledger, before, ticket).expired
        assert expired[0] == f"it is not in force any more: acceptance #{in_force(bench)[0].seq} of 'kv-q8' is"
        assert any(one.startswith("target file was ") for one in expired)


def struck(bench: Bench) -> None:
    """A launch is struck, and the strike is taken back."""
    (launch, _), *_ = bench.ledger.of(Launch, run="m-000001")
    strike = bench.ledger.append(Invalidation(subject=launch.id, fact=None, reason="throttled", person="Ada"))
    assert now(bench).expired == (f"launch #{launch.seq} does not stand: struck by Ada: throttled",)
    said = shown(bench, "0001")
    assert said.code == 1 and f"EXPIRED: launch #{launch.seq} does not stand" in said.out
    bench.ledger.append(Invalidation(subject=strike.id, fact=None, reason="it was not", person="Ada"))
    assert now(bench).holds
