"""Private variables reach the server, and nothing that is recorded or printed."""

from pathlib import Path

import pytest

from harness.adapters.base import environment, recorded_environment
from harness.vocabulary.base import BadFileError
from harness.vocabulary.private import blanks_of
from harness.workflow.order import read_target
from tests.harness.workflow.test_order import TOML

PRIVATE = 'schema = 1\ntarget = "t"\n[env]\nHF_TOKEN = "hf_notarealone"\n'


def place(folder: Path, private: str, more: str = "") -> Path:
    """A target with a private file beside it."""
    (folder / "t.toml").write_text(more + TOML)
    (folder / "t.private.toml").write_text(private)
    return folder / "t.toml"


def test_it_is_in_the_servers_environment_and_recorded_by_name(tmp_path: Path) -> None:
    path = place(tmp_path, PRIVATE)
    target, with_one = read_target(path)
    assert dict(environment(target, None))["HF_TOKEN"] == "hf_notarealone"
    assert dict(recorded_environment(target, None))["HF_TOKEN"] is None
    assert blanks_of(target).text("token hf_notarealone") == "token [private HF_TOKEN]"
    path.with_name("t.private.toml").unlink()
    assert read_target(path)[1] == with_one, "a hash of a secret is recorded nowhere"


@pytest.mark.parametrize(
    ("private", "more", "words"),
    [
        (PRIVATE.replace('"t"', '"u"'), "", "belongs to 'u'"),
        (PRIVATE.replace("HF_TOKEN", "MODE"), 'recorded_env = ["MODE"]\n', "recorded_env of target 't'"),
        (PRIVATE + "# DECIDE: more?", "", "line 5 is still marked DECIDE"),
        (PRIVATE.replace("[env]", "[envs]"), "", "unknown key"),
    ],
)
def test_what_is_refused(tmp_path: Path, private: str, more: str, words: str) -> None:
    with pytest.raises(BadFileError, match=words):
        read_target(place(tmp_path, private, more))


def test_one_that_an_arm_may_set_is_not_private(tmp_path: Path) -> None:
    allowed = '[allowed_env]\nMODE = { type = "bool" }\n'
    path = place(tmp_path, PRIVATE.replace("HF_TOKEN", "MODE"))
    path.write_text(TOML + allowed)
    with pytest.raises(BadFileError, match="allowed_env of target 't'"):
        read_target(path)
