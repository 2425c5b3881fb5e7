"""A prompt names every knob with the verdicts on it, and only what the target lets arms change may be patched."""

from pathlib import Path

from committee.pull.inventory import INVENTORY, as_toml, inventory_of
from committee.pull.knobs import earlier_of, known_of, patchable
from committee.pull.manifest import MANIFEST
from harness.vocabulary.target import Target
from ledger.entries import Arm
from ledger.store import Ledger
from tests.committee.proposals.sample import TARGET, make_target
from tests.committee.pull.test_manifest import FILES
from tests.ledger.examples import verdict


def arm(fingerprint: str, name: str, **flags: object) -> Arm:
    """An arm on record."""
    definition = {"schema": 1, "name": name, "flags": flags}
    return Arm(
        fingerprint=fingerprint, name=name, target="sample-server", proposal=None, definition=definition, origins=()
    )


def test_every_earlier_verdict_stands_beside_its_knob_newest_first(tmp_path: Path) -> None:
    one, both = "a" * 64, "b" * 64
    made = inventory_of(make_target(), {"seed": "-1"}, {"n-parallel": "1"}, "here")
    with Ledger.open(tmp_path / "records.db", actor="test", create=True) as ledger:
        ledger.append_all([arm(one, "slots", n_parallel=4), arm(both, "two", n_parallel=4, seed=1)])
        for number, fingerprint in ((1, one), (2, both)):
            changed = {"arm_name": "slots" if number == 1 else "two", "target": "sample-server", "trials": ()}
            ledger.append(verdict(f"measure-00000{number}", fingerprint, **changed))
        known = known_of(earlier_of(ledger, "sample-server"), {INVENTORY: as_toml(made).encode()}, make_target())
    knobs = {knob.name: knob for knob in known.knobs}
    assert knobs["n-parallel"].earlier == (
        "two +: total_tok_s @ 4 FASTER (+44.5 %)",
        "slots: total_tok_s @ 4 FASTER (+44.5 %)",
    )
    assert (knobs["n-parallel"].in_force, knobs["n-parallel"].asked) == ("1", "1")
    assert (knobs["seed"].default, len(knobs["seed"].earlier)) == ("-1", 1)
    assert knobs["cache-type-k"].earlier == ()


def test_only_a_file_that_the_target_lists_may_be_patched() -> None:
    overlay = {"path": '/srv/"odd"/a.cu', "sources": "/var/lib/arms"}
    listed = Target.model_validate({**TARGET, "allowed_overlays": [overlay]})
    other = Target.model_validate({**TARGET, "name": "other", "allowed_overlays": [overlay]})
    assert patchable(FILES, listed) == ("kernel/a.cu",)
    assert patchable(FILES, make_target()) == ()
    assert patchable(FILES, other) == ()
    assert patchable({"kernel/a.cu": FILES["kernel/a.cu"]}, listed) == ()
    assert patchable({MANIFEST: FILES[MANIFEST]}, listed) == ()
