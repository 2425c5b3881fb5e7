"""Secrets are found and placed, their text is never repeated, and what looks alike in evidence is left alone."""

import pytest

from committee.proposals.secrets import secrets_in
from committee.vocabulary.proposal import FrozenRevision

# Made up and put together here, so that no scanner mistakes this file for a leak.
GITHUB = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
AWS = "AKIA" + "Q3EXWZ7PLMN2RSTV"
PRIVATE = "-----BEGIN RSA " + "PRIVATE KEY-----"
HUGGING_FACE = "hf_" + "aBcDeFgHiJkLmNoPqRsTuVwXyZ12345678"
PROVIDER = "sk-ant-" + "api03-abcdefghijklmnopqrstuvwx"


def revision(path: str, text: str | bytes) -> FrozenRevision:
    """A revision of one file."""
    return FrozenRevision("0001-x", "0" * 40, ((path, text.encode() if isinstance(text, str) else text),))


@pytest.mark.parametrize(
    ("path", "line", "secret"),
    [
        ("PROPOSAL.md", f"token {GITHUB}", GITHUB),
        ("evidence/log.txt", f"key={AWS}", AWS),
        ("evidence/log.txt", PRIVATE, PRIVATE),
        ("evidence/log.txt", f"token: {HUGGING_FACE}", HUGGING_FACE),
        ("PROPOSAL.md", f"use {PROVIDER} for this", PROVIDER),
        ("evidence/curl.txt", "-H 'Authorization: Bearer abcDEF123456ghiJKL789'", "abcDEF123456ghiJKL789"),
        ("evidence/env.txt", "export OPENAI_API_KEY=mysecretvalue42", "mysecretvalue42"),
        ("arms/a.toml", 'password = "correct-horse-battery"', "correct-horse-battery"),
        ("evidence/url.txt", "http://user:hunter2hunter2@host/v1", "hunter2hunter2"),
        ("evidence/picture.png", f"token {GITHUB}", GITHUB),
        ("evidence/log.txt", f"{GITHUB} # pragma: allowlist secret", GITHUB),
    ],
)
def test_a_secret_is_placed_and_not_shown(path: str, line: str, secret: str) -> None:
    found = secrets_in(revision(path, f"first line\n{line}\n"))
    assert {complaint.where for complaint in found} == {f"{path}:2"}
    assert all(secret not in complaint.sentence for complaint in found)


@pytest.mark.parametrize(
    "text",
    [
        "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904",
        'sha256 = "' + "0123456789abcdef" * 4 + '"',
        "llama_kv_cache: size =    9.19 MiB (  1024 cells,   3 layers,  4/4 seqs), K (q8_0):    3.19 MiB",
        "security: no API key is set and CORS allows all origins",
        "max_tokens = 4096; prompt tokens: 1234; total_tok_s 81.2",
        "API_KEY=$OPENAI_API_KEY",
        'key_env = "OPENAI_API_KEY"',
        "the secret of its speed: batching",
        "general.name str = Gemma 3 270m tokenizer.ggml.tokens arr[str,262144]",
    ],
)
def test_evidence_is_left_alone(text: str) -> None:
    assert secrets_in(revision("evidence/log.txt", text)) == ()


def test_bytes_around_a_secret_do_not_hide_it() -> None:
    found = secrets_in(revision("evidence/core.bin", b"\x00\xff" + GITHUB.encode() + b"\x00\n"))
    assert [complaint.where for complaint in found] == ["evidence/core.bin:1"]
