"""What a production that was started from a record says is shown only as far as the target's files know its secrets."""

from pathlib import Path

import pytest

from harness.hosts.base import Held, Production, ServerSpec
from harness.hosts.restore import RestoreOutcome
from harness.vocabulary.target import Target
from harness.workflow.recorded_words import blanks_over, unsaid, withheld
from tests.harness.vocabulary.test_target import MINIMAL

OLD, NEW = "hf_notarealone", "hf_anotherone"
PLACE = Path("/ws/.committee/targets/small")
FAILED = RestoreOutcome(f"Production was not restored: token {OLD} was refused.", None, False, quotes=True)


def target(**env: str) -> Target:
    """One whose private file says these variables; MODE and LEVEL may be recorded."""
    baseline = {"command": ["x"], "env": env, "private": list(env)}
    open_ones = {"recorded_env": ["MODE"], "allowed_env": {"LEVEL": {"type": "int", "min": 0, "max": 9999999}}}
    return Target.from_mapping(MINIMAL | open_ones | {"baseline": baseline}, "target")


def production(**env: str) -> Production:
    spec = ServerSpec("production", ("x",), tuple(env.items()), Path("/ws"), "", 1.0, 1.0)
    return Production(None, wanted=True, held=None, url=None, started_as=spec)


@pytest.mark.parametrize(
    ("said", "names"),
    [
        ({}, ("HF_TOKEN",)),
        ({"HF_TOKEN": NEW}, ("HF_TOKEN",)),
        ({"HF_TOKEN": OLD}, ()),
        ({"HF_TOKEN": OLD, "B": "b"}, ()),
    ],
)
def test_a_value_that_the_files_say_no_longer_may_be_private(said: dict[str, str], names: tuple[str, ...]) -> None:
    ran = production(HF_TOKEN=OLD, MODE="as-it-was", LEVEL="1000000", PATH="/opt/former/bin", HOME="/home/former")
    assert unsaid(target(**said), ran) == names
    words = f"{OLD} {NEW} as-it-was 1000000 /opt/former/bin"
    shown = blanks_over(target(**said), ran).text(words)
    new = "[private HF_TOKEN]" if NEW in said.values() else NEW
    assert shown == f"[private HF_TOKEN] {new} as-it-was 1000000 /opt/former/bin"


def test_a_restore_shows_nothing_of_a_server_whose_secrets_the_files_no_longer_say() -> None:
    for known in (target(), target(HF_TOKEN=NEW)):
        failed = withheld(FAILED, known, production(HF_TOKEN=OLD), PLACE)
        assert failed.sentence.startswith(
            f"Production was not restored: 'journal.jsonl', 'guardian.log' and 'logs' of '{PLACE}'"
        )
        assert "what HF_TOKEN was when production was recorded, and it may be private" in failed.note
        assert OLD not in repr(failed) and not failed.quotes and not failed.up
    two = withheld(FAILED, target(), production(HF_TOKEN=OLD, KEY="another"), PLACE)
    assert "what HF_TOKEN, KEY were when production was recorded, and they may be private" in two.note


def test_what_is_known_is_blanked_and_our_own_words_stay() -> None:
    known = withheld(FAILED, target(HF_TOKEN=OLD), production(HF_TOKEN=OLD), PLACE)
    assert (known.sentence, known.note) == ("Production was not restored: token [private HF_TOKEN] was refused.", "")
    stopped = RestoreOutcome("Production was stopped by a person and stays down.", None, True)
    assert withheld(stopped, target(), production(HF_TOKEN=OLD), PLACE) == stopped
    held = Held("production", 7, 99, PLACE / "logs" / "one.log")
    back = RestoreOutcome(f"Production is back: pid 7 at http://{OLD}.", held, True, quotes=True)
    assert (
        withheld(back, target(), production(HF_TOKEN=OLD), PLACE).sentence
        == "Production is up as it was recorded: pid 7."
    )
