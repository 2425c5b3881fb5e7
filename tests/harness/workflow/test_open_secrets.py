"""A secret in the file that git keeps is named, without its value; what only looks like one by name is not."""

import pytest

from harness.vocabulary.target import Target
from harness.workflow.open_secrets import open_secrets
from tests.harness.vocabulary.test_target import MINIMAL

TOKEN = "hf_" + "aBcDeFgHiJkLmNoPqRsTuVwXyZ12345678"  # made up


def target(**baseline: object) -> Target:
    return Target.from_mapping(MINIMAL | {"baseline": {"command": ["x"], **baseline}}, "target")


@pytest.mark.parametrize(
    ("baseline", "named"),
    [
        ({"env": {"HF_TOKEN": "correct-horse"}}, "variable HF_TOKEN"),
        ({"env": {"WANDB_API_KEY": "abc123def"}, "flags": {"note": TOKEN}}, "variable WANDB_API_KEY, flag note"),
        ({"env": {"MODE": TOKEN}}, "variable MODE"),
        ({"command": ["sh", "-c", f"x {TOKEN}"]}, "the command"),
    ],
)
def test_each_is_named_with_the_private_file_and_without_its_value(baseline: dict[str, object], named: str) -> None:
    said = open_secrets(target(**baseline))
    assert said.startswith(f"{named} in 'targets/t.toml' looks like a secret")
    assert "'targets/t.private.toml'" in said
    assert not any(value in said for value in (TOKEN, "correct-horse", "abc123def"))


def test_others_are_not() -> None:
    env = {
        "TOKENIZERS_PARALLELISM": "disabled",
        "MAX_TOKENS": "131072",
        "SSL_KEY_FILE": "/etc/ssl/own.pem",
        "USE_TOKEN": "false",
        "HF_HOME": "/srv/models",
        "HF_TOKEN": TOKEN,
    }
    assert open_secrets(target(env=env, private=["HF_TOKEN"], flags={"model": "org/name-27b"})) == ""
