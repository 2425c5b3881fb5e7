"""Servers found in launch scripts of several styles, secrets left out, and drafts that load as a target."""

import tomllib

import pytest

from harness.adapters.base import FIXED_PATH
from harness.vocabulary.target import Target
from harness.vocabulary.undecided import undecided_lines
from harness.workflow.adopt import Found, NotFound, find_server
from harness.workflow.target_draft import draft, private_draft

DEPLOY = """#!/usr/bin/env bash
set -euo pipefail
source /opt/venv/bin/activate
export CUDA_VISIBLE_DEVICES=0,1,2,3
export HF_TOKEN="hf_notarealone"
MODEL=${1:-/srv/models/example-27b}
ARGS=(
  --model "$MODEL"
  --tensor-parallel-size 4
  --max_num_seqs=8
)
nohup python -m vllm.entrypoints.openai.api_server \\
   "${ARGS[@]}" --served-model-name house \\
   --api-key "$KEY" --port 8600 > out.log 2>&1 &
echo $! > pid
"""


def found(text: str) -> Found:
    """The server, which must be there."""
    server = find_server(text)
    assert isinstance(server, Found), server
    return server


def loads(text: str) -> Target:
    """The draft as the target that it must be."""
    return Target.from_mapping(tomllib.loads(draft(found(text), "drafted", "deploy.sh")), "the draft")


def test_a_whole_deploy_script() -> None:
    server = found(DEPLOY)
    assert server.engine == "vllm" and server.line == 12 and server.port == 8600 and server.alias == "house"
    assert server.command == ("/opt/venv/bin/python", "-m", "vllm.entrypoints.openai.api_server")
    assert dict(server.flags) == {"model": "/srv/models/example-27b", "tensor-parallel-size": 4, "max-num-seqs": 8}
    assert dict(server.env) == {
        "PATH": f"/opt/venv/bin:{FIXED_PATH}",
        "VIRTUAL_ENV": "/opt/venv",
        "CUDA_VISIBLE_DEVICES": "0,1,2,3",
    }
    assert server.secrets == ("HF_TOKEN", "--api-key")
    assert server.decide == (
        "the script takes $1 from outside; where nobody sets it, it is '/srv/models/example-27b', which was written",
        "the server's words go to 'out.log' in the script; the harness keeps them in a log of its own, in which "
        "the ready pattern is searched, so point there who reads that one",
        "the script has the server listen on every address (it names no --host); under the harness it answers on "
        "127.0.0.1 of its machine only, so put a proxy in front of it for users on other machines",
    )
    assert server.left_out == (
        "the script leaves the server in the background (nohup, setsid or &); the guardian holds it instead",
        f"the script adds to the PATH of the shell that runs it; servers get {FIXED_PATH} in the place of that one, so "
        "write into PATH below what else they need",
    )
    target = loads(DEPLOY)
    assert target.users == 8 and target.endpoint.port == 8600 and target.baseline.flags["max-num-seqs"] == 8
    assert target.allowed_flags == {} and "HF_TOKEN" not in target.recorded_env


SERVE = "vllm serve /m --port 8000 --host 127.0.0.1"


@pytest.mark.parametrize(
    ("script", "places"),
    [
        (f"{SERVE} > log 2>&1", ["log"]),
        (f'LOG=/var/log/x.log\nnohup {SERVE} >> "$LOG" 2>> err.log &', ["/var/log/x.log", "err.log"]),
        (f"{SERVE} &> all.log &", ["all.log"]),
        (f"{SERVE} 2>&1 | grep -v ping | tee -a l.txt", ["grep -v ping", "tee -a l.txt"]),
        (f"exec > >(tee all.log) 2>&1\n{SERVE}", [">(...)"]),
        (f"{{\n{SERVE}\n}} >> group.log", ["group.log"]),
        (f"echo a > other.txt\n{SERVE} < in.txt || echo b >> other.txt; ls | wc", []),
        (f"{SERVE} > /dev/null 2>&1", []),
    ],
)
def test_where_the_servers_words_go_is_a_question_in_the_draft(script: str, places: list[str]) -> None:
    said = [sentence for sentence in found(script).decide if "the server's words go to" in sentence]
    assert [sentence.split("'")[2 if "'s words" in sentence else 1] for sentence in said] == places
    assert all("in which the ready pattern is searched" in sentence for sentence in said)
    assert draft(found(script), "drafted", "x.sh").count("# DECIDE: the server's words go to") == len(places)


@pytest.mark.parametrize("script", [f"nohup {SERVE}", f"setsid {SERVE}", f"{SERVE} > log &"])
def test_that_the_guardian_holds_it_and_no_shell_is_said(script: str) -> None:
    assert "# Left out: the script leaves the server in the background" in draft(found(script), "drafted", "x.sh")
    assert "# Left out" not in draft(found(SERVE), "drafted", "x.sh")
    thrown = draft(found(f"{SERVE} > /dev/null"), "drafted", "x.sh")
    assert "# Left out: the script throws the server's words away; the harness keeps them" in thrown


def test_no_secret_reaches_the_draft() -> None:
    script = (
        "TOKEN=abc12345 X=sk-abc12345 U=http://me:abc12345@h/ vllm serve hf_abc12345 --api-key abc12345 --q sk-abc12345"
    )
    text = draft(found(script), "drafted", "x.sh")
    assert "abc12345" not in text
    for name in ("TOKEN", "X", "U", "--api-key", "--q"):
        assert f"# DECIDE: {name} is a secret" in text


def test_a_secret_among_several_words_or_inside_a_value_is_not_quoted_either() -> None:
    script = (
        "vllm serve /m --port 8000 --api-key sk-abc12345 other-abc12345 --header 'Authorization: Bearer abc12345' "
        """--hf-overrides '{"token": "abc12345"}'"""
    )
    text = draft(found(script), "drafted", "x.sh")
    assert "abc12345" not in text
    assert "--api-key was given 2 words; a flag holds one" in text


KEPT_IN_VARIABLES = """#!/bin/sh
export HF_TOKEN=plain-token-77
KEY=plain-key-77
MAX_TOKENS=131072
API_KEYS=(array-key-77 other-key-77)
# the key is comment-key-77
. ./settings-plain-key-77.sh
exec vllm serve /m --port 8000 --api-key "$KEY" more-key-77 --max-num-batched-tokens $MAX_TOKENS \
  --hf-overrides "{\"x\": \"$KEY\"}" --names "${API_KEYS[@]}" --served-model-name house --auth $HF_TOKEN \
  -kplain-key-77 --url eyJhbGciOiJIUzI1NiJ9-77 $KEY
"""


def test_a_secret_kept_in_a_variable_is_nowhere_in_the_draft() -> None:
    server = found(KEPT_IN_VARIABLES)
    text = draft(server, "drafted", "x.sh") + private_draft(server, "drafted")
    assert "-77" not in text
    assert dict(server.flags)["max-num-batched-tokens"] == 131072, "a number of tokens is no token"
    assert server.secrets == ("HF_TOKEN", "--api-key", "--hf-overrides", "--names", "--auth", "--url")
    assert "# DECIDE: --api-key is a secret and was not copied; the harness asks without a key" in text
    assert "set the engine's variable for --auth in drafted.private.toml beside this file, which git does not" in text


def test_private_variables_get_a_file_of_their_own() -> None:
    server = found("HF_TOKEN=hf_abc12345 VLLM_API_KEY=abc12345 vllm serve m --port 1")
    value = tomllib.loads(private_draft(server, "drafted"))
    assert value == {"schema": 1, "target": "drafted", "env": {"HF_TOKEN": ""}}
    assert len(undecided_lines(private_draft(server, "drafted"))) == 1
    assert private_draft(found("vllm serve m --port 1 --api-key abc12345"), "drafted") == ""


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("vllm serve m --port 1 --served-model-name house", "serves the model as 'house', the harness"),
        ("llama-server -m m --port 1 -a house", "serves the model as 'house', the harness"),
        ("vllm serve m --port 1", "serves the model under the model's own name, the harness"),
        ("python srv.py --port 1 --served-model-name house", "serves the model as 'house', the harness"),
        ("python srv.py --port 1", ""),
    ],
)
def test_a_changed_name_of_the_model_is_a_question(script: str, words: str) -> None:
    text = draft(found(script), "drafted", "x.sh")
    asked = [line for line in text.splitlines() if "'production': who asks by name" in line]
    assert [line for line in asked if words in line and "DECIDE" in line] == asked and bool(asked) == bool(words)
    flags = loads(script).baseline.flags
    assert flags.get("served-model-name") == ("{alias}" if "srv.py" in script and words else None)


VLLM = ("vllm", "serve", "m")
NUMACTL = ("numactl", "-N", "0", "/opt/llama-server")
SHORT = {"model": "a.gguf", "ctx-size": 4096, "n-gpu-layers": 99, "flash-attn": "on"}
SGLANG = ("python", "-m", "sglang.launch_server")


@pytest.mark.parametrize(
    ("text", "command", "flags", "port"),
    [
        ("exec vllm serve m --tp 2 --port=80", VLLM, {"tp": 2}, 80),
        ("vllm serve m -tp 2 --eager", VLLM, {"tensor-parallel-size": 2, "eager": True}, None),
        ("numactl -N 0 /opt/llama-server -m a.gguf -c 4096 -ngl 99 -fa on", NUMACTL, SHORT, None),
        ("env A=1 python3.11 srv.py --port 81 --t 0.5", ("python3.11", "srv.py"), {"t": 0.5}, 81),
        ("python -m sglang.launch_server --model-path m --port 82", SGLANG, {"model-path": "m"}, 82),
        ("if true; then\n  setsid vllm serve m --port 83\nfi", VLLM, {}, 83),
        ("CMD='vllm serve m'\n$CMD --port 84", VLLM, {}, 84),
        ("vllm serve m --j '{\"a\": 1}' --x 007 --y -1", VLLM, {"j": '{"a": 1}', "x": "007", "y": -1}, None),
    ],
)
def test_styles_of_starting(text: str, command: tuple[str, ...], flags: dict[str, object], port: int | None) -> None:
    server = found(text)
    assert (server.command, dict(server.flags), server.port) == (command, flags, port)
    adapters = {"vllm": "vllm", "numactl": "llamacpp"}
    assert loads(text).adapter == adapters.get(command[0], "command")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("docker run --gpus all -p 80:80 vllm/vllm-openai --model m", "the container's daemon"),
        ("podman run x llama-server -m m", "draft from the command that runs inside"),
        ("tmux new -d 'vllm serve m'", "hands the server to 'tmux'"),
        ("ssh gpu1 vllm serve m", "hands the server to 'ssh'"),
        ("systemctl start vllm", "hands the server to 'systemctl'"),
        ("python train.py --lr 1", "no server is started in it"),
        ("", "no server is started in it"),
        ("vllm serve 'open", "line 1 opens a quote"),
    ],
)
def test_scripts_without_a_server_that_can_be_held(text: str, words: str) -> None:
    outcome = find_server(text)
    assert isinstance(outcome, NotFound) and words in outcome.sentence


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("vllm serve $M --port 1", "does not set $M"),
        ("vllm serve m --port 1 --x $(nproc)", "a command that the script runs"),
        ("vllm serve m", "names no port"),
        ("vllm serve m --port $P", "names no port"),
        ("vllm serve a --port 1\nvllm serve b --port 2", "starts 2 servers; this is the one of line 2"),
        (". ./settings.sh\nvllm serve m --port 1", "reads more settings from './settings.sh'"),
        ("cd /opt/x\nvllm serve m --port 1", "changes to '/opt/x'"),
        ("vllm serve m --port 1 --seed 1 --seed 2", "--seed stands more than once"),
        ("vllm serve m --port 1 --names a b", "--names was given 2 words (a b)"),
        ("vllm serve m --port 1 -zz", "'-zz' is no flag that this draft knows"),
        ("f() { vllm serve m --port 1; }", "under a condition or in a function"),
    ],
)
def test_what_a_person_must_decide_is_said(text: str, words: str) -> None:
    assert any(words in sentence for sentence in found(text).decide), found(text).decide
    assert words in draft(found(text), "drafted", "x.sh")


def test_hostile_text_stays_in_its_string() -> None:
    target = loads("vllm serve 'a\"\n[baseline.env]\nX = 1' --port 1 --y 'b\x7f\\'")
    assert target.baseline.command == ("vllm", "serve", 'a"\n[baseline.env]\nX = 1')
    assert target.baseline.flags["y"] == "b\x7f\\" and target.baseline.env == {}


@pytest.mark.parametrize(
    ("command", "host", "said"),
    [
        ("vllm serve m --host 0.0.0.0 --port 1", "127.0.0.1", "listen on '0.0.0.0' (--host)"),
        ("llama-server -m x.gguf --host 10.0.0.7 --port 1", "127.0.0.1", "listen on '10.0.0.7' (--host)"),
        ("llama-server -m x.gguf --port 1", "127.0.0.1", ""),
        ("vllm serve m --host ::1 --port 1", "::1", ""),
        ("vllm serve m --host localhost --port 1", "localhost", ""),
    ],
)
def test_an_address_is_kept_or_said(command: str, host: str, said: str) -> None:
    server = found(command)
    assert server.host == host and loads(command).endpoint.host == host
    assert any(said in line for line in server.decide) if said else server.decide == ()
    assert "host" not in dict(server.flags)  # the engine's adapter writes it


def test_the_address_of_an_unknown_server_is_a_flag_of_its_own() -> None:
    server = found("python serve.py --host 0.0.0.0 --port 1")
    assert dict(server.flags) == {"host": "0.0.0.0"} and server.decide == ()
    assert loads("python serve.py --host 0.0.0.0 --port 1").baseline.flags["host"] == "0.0.0.0"


def test_what_only_python_takes_for_a_number_stays_a_word() -> None:
    target = loads(
        "vllm serve /models/x --port 8000 --swap-space inf --seed nan --max-num-seqs 10_00 --block-size 1e999"
    )
    flags = target.baseline.flags
    assert [flags[name] for name in ("swap-space", "seed", "max-num-seqs", "block-size")] == [
        "inf",
        "nan",
        "10_00",
        "1e999",
    ]


def test_what_is_plainly_a_number_is_one_and_what_no_rule_reads_is_a_question() -> None:
    words = (
        "--max-model-len 65_536 --gpu-memory-utilization .92 --seed 1e-3 --revision 1.10 --max-num-batched-tokens 64k"
    )
    flags = loads(f"vllm serve m {words}").baseline.flags
    assert (flags["max-model-len"], flags["gpu-memory-utilization"], flags["seed"]) == (65536, 0.92, 0.001)
    assert (flags["revision"], flags["max-num-batched-tokens"]) == ("1.10", "64k")
    assert any("64k is not read as a number" in said for said in found(f"vllm serve m {words}").decide)
    server = found("llama-server -m m.gguf -c 65_536 --port 8000")
    assert dict(server.flags)["ctx-size"] == "65_536"  # C++ would read 65 there
    assert any("65_536 is not read as a number" in said for said in server.decide)


def test_what_is_dropped_is_said() -> None:
    script = (
        "ulimit -n 65536\nexport OMP_NUM_THREADS=${OMP_NUM_THREADS:-8}\nexport N=${HF_TOKEN:-quite-private}\n"
        "vllm serve m --served-model-name house home --port 8000 2>&1 | tee -a log\n"
    )
    server = found(script)
    for said in (
        "sets 'ulimit -n 65536', which was dropped",
        "takes $OMP_NUM_THREADS from outside; where nobody sets it, it is '8'",
        "words go to 'tee -a log'",
        "gives the model 2 names (house home)",
    ):
        assert sum(said in one for one in server.decide) == 1, said
    assert "quite-private" not in draft(server, "drafted", "deploy.sh")
    assert Target.from_mapping(tomllib.loads(draft(server, "drafted", "deploy.sh")), "the draft")


@pytest.mark.parametrize(
    ("command", "largest"),
    [
        ("vllm serve m -tp 4 -pp 2 --max-num-seqs 8", {"tensor-parallel-size": 4, "pipeline-parallel-size": 2}),
        ("vllm serve m --data-parallel-size-local 2 --max-num-seqs 8", {"data-parallel-size-local": 2}),
        ("python -m sglang.launch_server --tp 4 --ep-size 2 --max-num-seqs 8 --port 1", {"tp": 4, "ep-size": 2}),
        ("llama-server -m m -mg 1 -ngl 40 --max-num-seqs 8", {"main-gpu": 1, "n-gpu-layers": 80}),
    ],
)
def test_a_size_that_takes_cards_is_never_suggested_above_productions(command: str, largest: dict[str, int]) -> None:
    lines = draft(found(command), "drafted", "x.sh").splitlines()
    examples = tomllib.loads("\n".join(line[2:] for line in lines if line.startswith("# ") and "max = " in line))
    assert {flag: given["max"] for flag, given in examples.items()} == largest | {"max-num-seqs": 16}
