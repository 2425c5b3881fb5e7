"""Command lines as they may be shown: secrets are hidden by the names of their flags, sizes and counts are not."""

import pytest

from harness.hosts.looking import masked


@pytest.mark.parametrize(
    ("argv", "shown"),
    [
        (("vllm", "--api-key", "abc", "--port", "1"), ("vllm", "--api-key", "<hidden>", "--port", "1")),
        (("vllm", "--api_key=abc"), ("vllm", "--api_key=<hidden>")),
        (("x", "--hf-token", "t", "-v"), ("x", "--hf-token", "<hidden>", "-v")),
        (("x", "--max-num-batched-tokens", "8192", "--k=q"), ("x", "--max-num-batched-tokens", "8192", "--k=q")),
        (("x", "--api-key", "--port", "1"), ("x", "--api-key", "--port", "1")),
        ((), ()),
    ],
)
def test_secrets_of_a_command_line_are_hidden(argv: tuple[str, ...], shown: tuple[str, ...]) -> None:
    assert masked(argv) == shown
