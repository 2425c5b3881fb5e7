"""A key that was pasted where its variable should be named is refused, and not a letter of it is repeated."""

from pathlib import Path

import pytest

from committee.vocabulary.config import read_config
from committee.vocabulary.key_name import looks_like_a_key
from harness.vocabulary.base import BadFileError

REVIEWER = """[review]
quorum = 1
[[reviewer]]
name = "glm"
kind = "openai"
base_url = "https://api.example.org/v1"
model = "glm-5.2"
key_env = "{key}"
"""
PASTED = ("sk-proj-4f9aQx77Lm", "AKIA2E0A8F3B1C9D7X5Q", "A1B2C3D4E5F60718293A4B5C6D7E8F90", "glm_key", "GLM KEY", "")


@pytest.mark.parametrize("key", PASTED)
def test_a_pasted_key_is_refused_and_not_repeated(tmp_path: Path, key: str) -> None:
    (tmp_path / "committee.toml").write_text(REVIEWER.format(key=key), encoding="utf-8")
    with pytest.raises(BadFileError) as caught:
        read_config(tmp_path / "committee.toml")
    said = str(caught.value)
    assert "'reviewer.0.key_env': name the variable, not the key" in said
    assert not key or key not in said


@pytest.mark.parametrize("name", ["GLM_KEY", "OPENAI_API_KEY", "MINIMAX_M3_KEY_2026", "K", "AUTHENTICATIONTOKEN"])
def test_names_of_variables_are_names(name: str) -> None:
    assert not looks_like_a_key(name)
