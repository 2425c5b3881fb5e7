"""Secrets are found and placed, their text is never repeated, and what looks alike in evidence is left alone."""

import gzip

import pytest

from committee.proposals.secrets import MOST_UNPACKED_BYTES, secrets_in
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
        ("evidence/run.log", "vllm serve m --api-key hunter2correcthorse", "hunter2correcthorse"),
        ("evidence/run.log", "VLLM_API_KEY hunter2correcthorse9", "hunter2correcthorse9"),
        ("evidence/run.log", f"key {PROVIDER[:12]}\u200b{PROVIDER[12:20]}\u2060{PROVIDER[20:]}", PROVIDER),
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
        "serve --api-key $VLLM_API_KEY --max-tokens 131072 --token /run/token1 --stop-token <im_end2>",
        "set VLLM_API_KEY VLLM_HOST_IP_0123 before, and the HF_TOKEN environment variable",
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


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_nor_do_two_bytes_a_letter(encoding: str) -> None:
    found = secrets_in(revision("evidence/log.txt", f"first\ntoken: {HUGGING_FACE}\n".encode(encoding)))
    assert [complaint.where for complaint in found] == ["evidence/log.txt:2"]


def test_a_gzip_file_is_looked_into_as_far_as_its_limit() -> None:
    packed = gzip.compress(b"first\n") + gzip.compress(f"token: {HUGGING_FACE}\n".encode())
    assert [one.where for one in secrets_in(revision("evidence/log.gz", packed))] == ["evidence/log.gz:2"]
    assert secrets_in(revision("evidence/log.gz", gzip.compress(b"81.2 tok/s\n"))) == ()
    (large,) = secrets_in(revision("evidence/log.gz", gzip.compress(bytes(MOST_UNPACKED_BYTES + 1))))
    assert large.sentence == "it unpacks to more than 8 MiB, too much to look for secrets; leave it out"


def test_a_name_is_looked_at_and_not_shown() -> None:
    found = secrets_in(revision(f"evidence/{HUGGING_FACE}/{GITHUB}.txt", f"token {GITHUB}"))
    hidden = "evidence/[a name that is not shown]/[a name that is not shown]"
    assert {one.where for one in found} == {hidden, f"{hidden}:1"}
    assert all(HUGGING_FACE not in repr(one) and GITHUB not in repr(one) for one in found)


def test_lines_stand_in_their_order() -> None:
    found = secrets_in(revision("a.txt", "\n".join([f"token {GITHUB}", *["x"] * 8, PRIVATE, f"token {HUGGING_FACE}"])))
    assert list(dict.fromkeys(one.where for one in found)) == ["a.txt:1", "a.txt:10", "a.txt:11"]
