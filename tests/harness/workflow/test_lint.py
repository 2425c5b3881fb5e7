"""Rules held against real target files, arms, command lines and a model file's header."""

from pathlib import Path

import pytest

from harness.vocabulary.arm import Arm
from harness.vocabulary.base import BadFileError
from harness.vocabulary.target import Target
from harness.workflow.lint import lint, lint_words, new_with
from harness.workflow.model_files import read_header
from tests.harness.overlay.ground import gguf

TARGETS = Path(__file__).resolve().parents[3] / "targets"
PRODUCTION = Target.from_toml(TARGETS / "v100-tp4.toml")


def arm(**flags: object) -> Arm:
    return Arm.model_validate({"schema": 1, "name": "arm", "flags": flags})


def test_the_campaigns_server_is_told_about_its_pinned_variable_alone() -> None:
    (found,) = lint(PRODUCTION, None)
    assert (found.rule, found.is_fault, found.arm) == ("decode-partition", False, "")
    assert "changes nothing" in found.words


def test_an_arm_is_told_only_what_it_brings_about() -> None:
    found = new_with(PRODUCTION, arm(**{"max-model-len": 262144}))
    assert [(one.rule, one.is_fault) for one in found] == [
        ("decode-partition", True),  # 262,144 over 96 splits: tiles of 4,096, which nobody built
        ("shared-memory", True),
        ("split-prefill", False),
    ]
    assert "the partition is 4096" in found[0].words
    (cut,) = new_with(PRODUCTION, arm(**{"max-num-batched-tokens": 65536}))
    assert cut.words.startswith("caution: arm 'arm': a prompt of 131,072 tokens is taken in 2 pieces")
    assert new_with(PRODUCTION, arm(**{"max-num-seqs": 8})) == ()


def test_a_command_line_of_llama_bench() -> None:
    found = lint_words(("/opt/bin/llama-bench", "-m", "m.gguf", "-ts", "1,1,1,1", "-fa=0", "-ctv", "q8_0", "-v"))
    assert [one.rule for one in found] == ["list-separators", "quantised-values"]
    assert all(one.is_fault for one in found)
    assert lint_words(("llama-bench", "-ts", "1/1/1/1", "--n-gen", "-1")) == ()


def test_a_command_line_that_nobody_knows_is_refused() -> None:
    with pytest.raises(BadFileError, match="llama-bench, llama-server"):
        lint_words(("ls", "-l"))


def test_a_model_files_header_is_read_and_trusted(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(gguf())
    header = read_header(path)
    assert header.fault == ""
    assert header.architecture == "qwen35"
    cut = tmp_path / "cut.gguf"
    cut.write_bytes(path.read_bytes()[:-1])
    (found,) = (one for one in lint(PRODUCTION, None, cut) if one.rule == "model-file")
    assert found.is_fault
    assert "not whole" in found.words


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("A=1 B=2 nohup llama-server -m m.gguf -c 32768 -np 4", "4 slots share a context of 32,768"),
        ("llama-server -m m.gguf -c 32768 -np 4 -kvu", ""),
        (
            "vllm serve M --cudagraph-capture-sizes 1 2 4 --speculative-config.num_speculative_tokens 2",
            "none of the capture sizes 1, 2, 4 is a multiple of it: vLLM makes 3 of them",
        ),
        ("VLLM_FLASH_V100_DECODE_PARTITION_SIZE=1024 vllm serve M -tp 4", "the variable changes nothing"),
        ("docker run --gpus all vllm/vllm-openai --model M --enable-auto-tool-choice", "without tool-call-parser"),
    ],
)
def test_a_command_line_is_read_as_people_write_it(command: str, words: str) -> None:
    assert [words in one.finding.sentence for one in lint_words(tuple(command.split()))] == [True] * bool(words)
