"""`harness adopt` by command line: a draft that loads, beside nothing that was there before."""

from pathlib import Path

import pytest

from harness.vocabulary.base import BadFileError
from harness.vocabulary.target import Target
from harness.vocabulary.undecided import undecided_lines
from harness.workflow.order import read_target
from tests.committee.cli.yard import typed, value

SCRIPT = "export HF_TOKEN=hf_abc12345\nexec vllm serve m --max-num-seqs 8 --port 8600\n"


@pytest.fixture
def ws(tmp_path: Path) -> Path:
    """A workspace with one target and some scripts."""
    (tmp_path / "targets").mkdir()
    (tmp_path / "targets" / "there.toml").write_text("schema = 1\n")
    (tmp_path / "Deploy_27B.sh").write_text(SCRIPT)
    (tmp_path / "docker.sh").write_text("docker run vllm/vllm-openai --model m\n")
    (tmp_path / "binary.sh").write_bytes(b"\x7fELF\0\0")
    (tmp_path / "book.sh").write_bytes(b"# \n" * 400_000)
    return tmp_path


def test_a_draft_that_loads_and_says_what_is_left(ws: Path) -> None:
    said = typed(ws, "harness", "adopt", "--script", str(ws / "Deploy_27B.sh"))
    assert said.code == 0, said
    path = ws / "targets" / "deploy-27b.toml"
    target = Target.from_toml(path)
    assert (target.name, target.users, target.endpoint.port) == ("deploy-27b", 8, 8600)
    hidden = ws / "targets" / "deploy-27b.private.toml"
    assert f"Drafted {path} from line 2" in said.out
    here, aside = (len(undecided_lines(one.read_text())) for one in (path, hidden))
    assert (
        f"{here + aside} lines marked DECIDE are yours, {here} there, {aside} in deploy-27b.private.toml." in said.out
    )
    assert f"Secrets were not copied: HF_TOKEN. Those that production needs go into {hidden}" in said.out
    assert hidden.stat().st_mode & 0o777 == 0o600 and (ws / "targets" / ".gitignore").read_text() == "*.private.toml\n"
    assert "abc12345" not in path.read_text() + said.out
    assert typed(ws, "harness", "adopt", "--script", str(ws / "Deploy_27B.sh")).code == 2
    told = value(typed(ws, "harness", "adopt", "--script", str(ws / "Deploy_27B.sh"), "--name", "b", "--json"))
    assert told["private"] == str(ws / "targets" / "b.private.toml")
    assert (ws / "targets" / ".gitignore").read_text() == "*.private.toml\n"
    assert told["loads"] and told["secrets_left_out"] == ["HF_TOKEN"] and told["decide"] > 5


def test_an_answered_draft_is_a_target_with_its_private_variable(ws: Path) -> None:
    assert typed(ws, "harness", "adopt", "--script", str(ws / "Deploy_27B.sh")).code == 0
    path, hidden = ws / "targets" / "deploy-27b.toml", ws / "targets" / "deploy-27b.private.toml"
    with pytest.raises(BadFileError, match=r"deploy-27b\.toml' is a draft.*; and .*private\.toml' is a draft"):
        read_target(path)
    for one in (path, hidden):
        with pytest.raises(BadFileError, match="still marked DECIDE"):
            read_target(path)
        one.write_text(one.read_text().replace("DECIDE", "decided").replace('HF_TOKEN = ""', 'HF_TOKEN = "hf_new"'))
    target, _ = read_target(path)
    assert target.baseline.env == {"HF_TOKEN": "hf_new"}
    shown = typed(ws, "harness", "targets", "--json")
    assert '"HF_TOKEN": null' in shown.out and "hf_new" not in shown.out


def test_a_private_file_is_never_written_over(ws: Path) -> None:
    (ws / "targets" / "deploy-27b.private.toml").write_text("mine")
    said = typed(ws, "harness", "adopt", "--script", str(ws / "Deploy_27B.sh"))
    assert said.code == 2 and "exists and is not written over" in said.err
    assert (ws / "targets" / "deploy-27b.private.toml").read_text() == "mine"
    assert not (ws / "targets" / "deploy-27b.toml").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("docker.sh",), "the container's daemon"),
        (("Deploy_27B.sh", "--name", "there"), "exists and is not written over"),
        (("Deploy_27B.sh", "--name", "No Name"), "is no name for a target"),
        (("gone.sh",), "is no file"),
        (("binary.sh",), "is no script of a few pages"),
        (("book.sh",), "is no script of a few pages"),
    ],
)
def test_what_is_refused(ws: Path, words: tuple[str, ...], said: str) -> None:
    before = sorted(path.name for path in (ws / "targets").iterdir())
    script, *rest = words
    outcome = typed(ws, "harness", "adopt", "--script", str(ws / script), *rest)
    assert outcome.code == 2 and said in outcome.err and len(outcome.err.splitlines()) == 1
    assert sorted(path.name for path in (ws / "targets").iterdir()) == before
    assert (ws / "targets" / "there.toml").read_text() == "schema = 1\n"
