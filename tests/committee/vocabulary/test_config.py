"""committee.toml: what is accepted, and one clear sentence for everything else."""

from pathlib import Path

import pytest

from committee.vocabulary.config import read_config
from harness.vocabulary.base import BadFileError

GOOD = """
[review]
quorum = 1
language = "zh-TW"

[[reviewer]]
name = "glm"
kind = "openai"
base_url = "https://api.example.org/v1"
model = "glm-5.2"
key_env = "GLM_KEY"
timeout_s = 600
price_in_per_mtok = 0.6
price_out_per_mtok = 2.2

[[reviewer]]
name = "agent"
kind = "command"
argv = ["codex", "exec", "-"]

[[reviewer]]
name = "old"
kind = "recorded"
recording = "recordings/old.json"

[[reviewer]]
name = "small"
kind = "embedded"
"""


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "committee.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_all_four_kinds(tmp_path: Path) -> None:
    config = read_config(written(tmp_path, GOOD))
    assert config.review.quorum == 1 and config.review.language == "zh-TW"
    assert [reviewer.shown_as for reviewer in config.reviewer] == ["live", "live", "recorded", "small CPU model"]
    assert [reviewer.shown_model for reviewer in config.reviewer] == ["glm-5.2", "codex", "recorded/old", "demo"]
    assert config.named("old").recording == str(tmp_path / "recordings" / "old.json")
    assert config.named("glm").price_out_per_mtok == 2.2


def test_quorum_is_two_by_default(tmp_path: Path) -> None:
    assert read_config(written(tmp_path, GOOD.replace("quorum = 1\n", ""))).review.quorum == 2


def test_a_reviewer_gone_from_the_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadFileError, match=r"no reviewer 'gone', but the run asks it"):
        read_config(written(tmp_path, GOOD)).named("gone")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", r"no \[\[reviewer\]\]; add at least one"),
        ("reviewer = []", r"no \[\[reviewer\]\]; add at least one"),
        (GOOD.replace("quorum = 1", "quorum = 5"), "quorum is 5 but there are only 4 reviewers"),
        (GOOD.replace("quorum = 1", "quorum = 0"), "must be at least 1"),
        (GOOD.replace('name = "old"', 'name = "glm"'), "'glm' stands there twice"),
        (GOOD.replace("https://", "http://"), "use https, http is for loopback only"),
        (GOOD.replace("https://", "ftp://"), "is not an http or https address"),
        (GOOD.replace("example.org", "example.org:99999"), "is not an http or https address"),
        (GOOD.replace("example", "ex\u0430mple"), "letters that look like others or are not seen; write it in ASCII"),
        (GOOD.replace("argv =", 'readable = ["//"]\nargv ='), "readable '//' must be an absolute path below the root"),
        (GOOD.replace("argv =", 'readable = ["/./"]\nargv ='), "must be an absolute path below the root"),
        (GOOD.replace("https://", "https://me:secret@"), "must not hold a user"),
        (GOOD.replace("/v1", "/v1?key=abc"), "must not hold a user"),
        (GOOD.replace("GLM_KEY", "sk-abc123"), "key_env"),
        (GOOD.replace('model = "glm-5.2"\n', ""), "reviewer 'glm' of kind 'openai' needs model"),
        (GOOD.replace('argv = ["codex", "exec", "-"]', "argv = []"), "reviewer 'agent' of kind 'command' needs argv"),
        (GOOD.replace('recording = "recordings/old.json"', ""), "needs recording"),
        (GOOD.replace("timeout_s = 600", "timeout_s = 0"), "timeout_s"),
        (GOOD.replace("timeout_s = 600", "retries = 3"), "unknown key"),
        (GOOD.replace('kind = "embedded"', 'kind = "magic"'), "'openai', 'command', 'recorded' or 'embedded'"),
        (
            GOOD.replace("price_in_per_mtok = 0.6\n", ""),
            "'glm' has no price_in_per_mtok .*; give price_in_per_mtok too",
        ),
        (GOOD.replace("price_out_per_mtok = 2.2\n", ""), "no price_out_per_mtok .*, 0 where that half costs nothing"),
        (GOOD + "price_in_per_mtok = 0\n", "reviewer 'small' has no price_out_per_mtok beside its other price"),
        (GOOD[:38], "not valid TOML"),
    ],
)
def test_refusals(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(BadFileError, match=sentence):
        read_config(written(tmp_path, text))


def test_loopback_may_use_http(tmp_path: Path) -> None:
    text = GOOD.replace("https://api.example.org/v1", "http://127.0.0.1:8000/v1")
    assert read_config(written(tmp_path, text)).named("glm").base_url == "http://127.0.0.1:8000/v1"


SECRET = "aB3dE5fG7hJ9" + "kL1mN2pQ4rS6tU8vW0xY"  # made up, and put together here


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"exec", "-"', f'"exec", "--api-key", "{SECRET}"'),
        ('"exec", "-"', f'"exec", "--header=Authorization: Bearer {SECRET}"'),
        ('"exec", "-"', f'"sh", "-c", "OPENAI_API_KEY={SECRET} agent -"'),
        ('"exec", "-"', f'"{SECRET}+/"'),
        ("/v1", f"/{SECRET}+x/v1"),
        ("/v1", f"/sk-ant-{SECRET}/v1"),
        ("glm-5.2", f"hf_{SECRET}"),
    ],
)
def test_a_key_in_a_command_or_an_address_is_refused_and_not_repeated(tmp_path: Path, old: str, new: str) -> None:
    with pytest.raises(BadFileError, match=r"looks like it holds a secret .* name its variable with key_env") as caught:
        read_config(written(tmp_path, GOOD.replace(old, new)))
    assert SECRET not in str(caught.value)


def test_commands_and_addresses_without_one_are_taken(tmp_path: Path) -> None:
    text = GOOD.replace("/v1", "/v1/accounts/0123456789abcdef0123456789abcdef/openai/deployments/gpt-5-mini")
    argv = '["/opt/agents/venv/bin/python3.11", "-m", "agent.cli", "--model=glm-5.2", "--max-tokens", "131072", "-"]'
    config = read_config(written(tmp_path, text.replace('["codex", "exec", "-"]', argv)))
    assert config.named("agent").argv[-1] == "-"
