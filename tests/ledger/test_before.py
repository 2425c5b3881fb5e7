"""What was measured before a change is named with the earliest of them; what came back is as it was."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.before import COMPARED, Changed, Seen, machine_changes, measured_before
from ledger.entries import Rollback
from ledger.model_files import File, ModelSeen, model_changes
from ledger.store import Ledger
from tests.ledger.examples import A, B, C, acceptance, machine, model, watch
from tests.ledger.test_standing import measuring_run

TARGET = "local-llamacpp"
WORDS = st.sampled_from(["", "a", "b", "c"])


@st.composite
def courses(draw: st.DrawFn) -> list[Seen]:
    """Machines of a few runs, in order."""
    count = draw(st.integers(1, 12))
    facts = st.tuples(*[WORDS] * len(COMPARED))
    return [Seen(seq, f"m-{draw(st.integers(0, 4))}", draw(facts)) for seq in range(1, count + 1)]


@given(courses())
def test_a_run_is_marked_if_and_only_if_its_machine_is_not_todays(seen: list[Seen]) -> None:
    found = machine_changes(seen, {one.run for one in seen})
    for run in {one.run for one in seen}:
        mine = [one for one in seen if one.run == run][-1]
        differs = [
            number
            for number in range(len(COMPARED))
            if mine.facts[number] and seen[-1].facts[number] and mine.facts[number] != seen[-1].facts[number]
        ]
        assert (run in found) == bool(differs)
        if differs:
            shown = [
                one.seq
                for one in seen
                if one.seq > mine.seq and any(one.facts[number] not in ("", mine.facts[number]) for number in differs)
            ]
            assert found[run].seq == shown[0]
    assert seen[-1].run not in found


def test_a_driver_a_card_and_a_baseline_that_changed_are_named(tmp_path: Path) -> None:
    names = [f"m-20261129-000{number}" for number in range(5)]

    def run(number: int, **changes: object) -> None:
        ledger.append_all((measuring_run(names[number]), machine(names[number], **changes)))

    def marked() -> dict[int, str]:
        found = measured_before(ledger, names)
        return {number: found[name].words for number, name in enumerate(names) if name in found}

    with Ledger.open(tmp_path / "records.db", actor="test", create=True) as ledger:
        run(1)
        run(2, driver="570.1")
        assert marked() == {1: "its driver changed from 550.54.15 to 570.1"}
        run(3)
        assert set(marked()) == {2}, "the older driver is back"
        first = ledger.append(acceptance())
        told = measured_before(ledger, names[3:])
        assert told == {names[3]: Changed(first.seq, "the baseline changed to four-slots")}
        assert told[names[3]].sentence == f"measured before the baseline changed to four-slots (#{first.seq})"
        assert marked()[2] == "its driver changed from 570.1 to 550.54.15", "the earliest change is told"
        back = Rollback(target=TARGET, leaves=first.id, back_to=None, reason="it was slower", person="Ada")
        ledger.append(back)
        assert set(marked()) == {2}
        ledger.append(back.model_copy(update={"back_to": first.id}))
        run(4, cards=({"number": 0, "name": "H200", "uuid": "GPU-2", "memory_mib": 143771},))
        assert marked()[3] == "the baseline changed to four-slots"
        ledger.append(back)
        assert marked()[3] == "its cards changed from V100 GPU-1 to H200 GPU-2"
        assert marked()[4] == "the baseline changed to its own file"
        assert measured_before(ledger, ["m-20200101-unknown"]) == {}


def test_a_model_file_that_changed_is_named_and_a_later_look_at_an_acceptance_is_no_change(tmp_path: Path) -> None:
    names = [f"m-20261129-000{number}" for number in range(6)]

    def run(number: int, arm: str | None = None, **file: object) -> None:
        ledger.append_all((measuring_run(names[number]), model(names[number], arm, **file)))

    def marked() -> dict[int, str]:
        found = measured_before(ledger, names)
        return {number: found[name].words for number, name in enumerate(names) if name in found}

    with Ledger.open(tmp_path / "records.db", actor="test", create=True) as ledger:
        run(0)
        run(1, arm=A, sample_sha256=C)  # an arm's own file is the arm's
        run(2, sample_sha256=A)
        assert marked() == {0: f"its model file changed from m.gguf ({B[:8]}) to m.gguf ({A[:8]})"}
        run(3, path="/models/n.gguf", sample_sha256=A)
        assert marked()[2] == f"its model changed from m.gguf ({A[:8]}) to n.gguf ({A[:8]})"
        run(4)
        ledger.append(watch(names[4]))
        assert set(marked()) == {0, 2}
        run(5, path="/models/n.gguf", sample_sha256=A)
        assert 3 not in marked()


def file(written: str = "x", sha256: str | None = None) -> tuple[File, ...]:
    return (File("/m/m.gguf", 5, written, A, sha256),)


@pytest.mark.parametrize(
    ("then", "now", "words"),
    [
        (file(), file(), ""),
        (file(sha256=B), file("y", B), ""),
        (file(sha256=B), file("y", C), f"its model file changed from m.gguf ({A[:8]}) to m.gguf ({A[:8]})"),
        (file(), file("y", B), "its model file m.gguf was written to at y; nobody read it whole before and after"),
    ],
)
def test_the_same_sample_written_again_is_the_same_only_if_both_were_read_whole(
    then: tuple[File, ...], now: tuple[File, ...], words: str
) -> None:
    found = model_changes((ModelSeen(1, "a", then), ModelSeen(2, "b", now)), {"a", "b"})
    assert found == ({"a": (2, words)} if words else {})
