"""Whatever a script may change for its server is taken over, provably without effect on it, or a question."""

import shutil
import subprocess
from pathlib import Path

import pytest

from harness.adapters.base import FIXED_PATH
from harness.workflow.adopt import NotFound, find_server
from harness.workflow.target_draft import draft
from tests.harness.workflow.adopted import SERVE, found


@pytest.mark.parametrize(
    "script",
    [
        "(source /opt/old/bin/activate; pip list)",
        "(source /opt/old/bin/activate; pip list)>log",
        "source /opt/old/bin/activate | cat",
        "cat x | source /opt/old/bin/activate",
        "source /opt/old/bin/activate &",
        "{ source /opt/old/bin/activate; pip list; } | tee log",
        "for x in 1; do source /opt/old/bin/activate; done &",
        "true && source /opt/old/bin/activate & wait",
        "(cd /x && export A=1; read B; eval x; exit)",
        "f() { echo 1; }; f; [ -d x ] || echo none",
        "echo '(' \"|\" \\( ; test -n '&&'",
        "cat <<< x; A=1; (( $# > 0 )); echo $((1 + 2))",
        "set -euo pipefail\nif true; then echo a; else echo b; fi\ncase $x in a) echo 1;; (b|c) echo 2;; esac",
        "trap 'kill 0' EXIT\nmkdir -p /var/log/x || exit 1",
    ],
)
def test_what_lasts_for_nothing_else_changes_nothing(script: str) -> None:
    server = found(f"{script}\n{SERVE}")
    assert (server.command, server.env, server.decide) == (("vllm", "serve", "m"), (), ())


CONDITION = " is set only under a condition in the script; "


@pytest.mark.parametrize(
    "script",
    [
        "[ -d X ] && source /opt/old/bin/activate",
        "true || source /opt/old/bin/activate",
        "[ -d X ] &&\n  source /opt/old/bin/activate",
        "case $1 in a) source /opt/old/bin/activate;; esac",
        "while false; do source /opt/old/bin/activate; done",
        "use() { source /opt/old/bin/activate; }",
        "function use { source /opt/old/bin/activate; }",
        "function use() { source /opt/old/bin/activate; }",
    ],
)
def test_an_environment_that_is_perhaps_activated_is_a_question(script: str) -> None:
    said = found(f"{script}\n{SERVE}").decide
    assert [sentence.partition(CONDITION)[0] for sentence in said] == ["PATH", "VIRTUAL_ENV"]


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("TP=1\n[ -d X ] && TP=4\nvllm serve m -tp $TP", "TP" + CONDITION),
        ("[ -d X ] && TP=4\nA=\"-tp $TP\"\nvllm serve m $A", "A" + CONDITION),
        ("A=()\nif x; then A+=(--eager); fi\nvllm serve m \"${A[@]}\"", "A" + CONDITION),
        ("export A=1\n[ -d X ] && A=2", "A" + CONDITION),
        ("[ -d X ] && cd /x", "changes to '/x'"),
        ("cd /x; vllm serve m", "changes to '/x'"),
        ("source s.sh && vllm serve m", "reads more settings from 's.sh'"),
        ("[ -f s.sh ] && . s.sh", "reads more settings from 's.sh'"),
        ("(cd /x; vllm serve m)", "changes to '/x'"),
        ("eval \"$(x)\"", "line 1 runs 'eval', and what that changes"),
        ("read A < f", "line 1 runs 'read'"),
        ("builtin cd /x", "line 1 runs 'cd'"),
        ("let A=1", "line 1 runs 'let'"),
        ("((A = 1))", "line 1 runs 'let'"),
        ("printf -v A x", "line 1 runs 'printf'"),
        ("declare -n A=B", "line 1 runs 'declare'"),
        ("X=B; export A=1 \"$X\"", "line 1 runs 'export'"),
        ("A[0]=x", "an assignment to one element of a list"),
        ("$SETUP x", "a command that the script alone does not name"),
        ("[ x ] && set -a", "line 1 runs 'set', under a condition"),
        ("[ x ] && unset A", "line 1 runs 'unset'"),
        ("alias vllm=/x/vllm", "line 1 runs 'alias'"),
        ("vllm() { /opt/x/vllm \"$@\"; }", "gives 'vllm' a meaning of its own"),
        ("exit 0", "line 1 ends the script (exit)"),
        ("PATH=/a:", "PATH holds an empty part"),
        ("for A in 1 2; do :; done\nvllm serve m --a $A", "does not set $A"),
        ("export A=1\nfor A in 1 2; do :; done", "A holds '${A}'"),
        ("P=$Q\nvllm serve m --q $P", "does not set $Q"),
        ("vllm serve m \"$@\"", "does not set $@"),
        ("vllm serve ~/m", "does not set $HOME"),
        ("vllm serve /m/*.gguf", "in the place of a pattern"),
        ("M=/m/*.gguf\nvllm serve $M", "in the place of a pattern"),
        ("vllm serve m --x {a,b}", "in the place of a pattern"),
        ("env -i vllm serve m", "by env with an option"),
        ("LD+=:/x; export LD", "LD holds '${LD}:/x'"),
    ],
)  # fmt: skip
def test_a_change_that_is_not_sure_is_a_question(script: str, said: str) -> None:
    server = found(script if "vllm serve" in script else f"{script}\n{SERVE}")
    assert sum(said in sentence for sentence in server.decide) == 1, server.decide
    assert said in draft(server, "drafted", "x.sh")


@pytest.mark.parametrize(
    ("script", "env"),
    [
        ("PATH+=:/opt/cuda/bin", {"PATH": f"{FIXED_PATH}:/opt/cuda/bin"}),
        ("PATH=/a\nPATH+=:/b", {"PATH": "/a:/b"}),
        ("export A=1 B=2\nunset A", {"B": "2"}),
        ("[ x ] && A=1\nexport A=2", {"A": "2"}),
        ("set -a\nA=1\nset +a\nB=2", {"A": "1"}),
        ("{ export A=1; }", {"A": "1"}),
        ("env -u A true\nexport B='a;b|c(d)'", {"B": "a;b|c(d)"}),
    ],
)
def test_a_change_that_is_sure_is_taken_over(script: str, env: dict[str, str]) -> None:
    server = found(f"{script}\n{SERVE}")
    assert (dict(server.env), server.decide) == (env, ())


def test_a_subshell_holds_for_what_runs_in_it() -> None:
    server = found(f"export B=0\n(export A=1; {SERVE} --stop ';' --sep \"|\") &")
    assert (dict(server.env), dict(server.flags)) == ({"B": "0", "A": "1"}, {"stop": ";", "sep": "|"})


@pytest.mark.parametrize("script", ["if true; then", "(", "fi", "cat <<EOF"])
def test_a_script_whose_parts_do_not_fit_is_not_read(script: str) -> None:
    server = find_server(f"{script}\n{SERVE}")
    assert isinstance(server, NotFound) and "cannot be read as a list of commands (line 1" in server.sentence


def test_a_real_shell_keeps_what_is_taken_over_and_no_more(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "activate").write_text(f"export PATH={tmp_path}/bin:$PATH VIRTUAL_ENV={tmp_path}\n", "utf-8")
    on = f"source {tmp_path}/bin/activate"
    script = f"({on})\n{on} | cat\n{on} & wait\n{{ {on}; }} | cat\nPATH+=:/b\n{{ PATH+=:/c; }}\n(PATH+=:/d)\n"
    shell = shutil.which("bash") or "bash"
    told = subprocess.run(
        [shell, "-c", f"{script}echo $PATH"], env={"PATH": FIXED_PATH}, capture_output=True, check=True, timeout=30
    )
    assert told.stdout.decode().strip() == dict(found(f"{script}{SERVE}").env)["PATH"]


@pytest.mark.parametrize(
    "script",
    [
        "cd /x && source /v/bin/activate && export A=1",
        "cd /x &&\n  . /v/bin/activate &&\n  export A=1",
        "set -a && A=1 && export A && mkdir -p /var/log/x && source /v/bin/activate && cd /x",
    ],
)
def test_behind_what_is_expected_to_succeed_nothing_is_a_question(script: str) -> None:
    server = found(f"{script}\n{SERVE}")
    assert server.command == ("/v/bin/vllm", "serve", "m") and dict(server.env)["A"] == "1"
    assert server.decide == ("the script changes to '/x'; servers start in the workspace, so write whole paths",)
    whole = found(f"{script} && {SERVE}")
    assert (whole.command, whole.env, whole.decide) == (server.command, server.env, server.decide)


@pytest.mark.parametrize(
    "before", ["grep -q x y", "[ -f x ]", "cd /x || true", "! cd /x", "(cd /x)", "cd /x && grep -q x y", "ls | cat"]
)
def test_behind_what_may_fail_a_change_is_a_question(before: str) -> None:
    assert f"A{CONDITION}keep it or take it away" in found(f"{before} && export A=1\n{SERVE}").decide


def test_a_program_that_may_change_the_machine_is_a_question_and_others_are_told() -> None:
    cards = "sudo nvidia-smi -pl 250\n/usr/bin/nvidia-smi -lgc 1380"
    script = f"{cards}\n(ray start --head)\nif x; then rm -rf /dev/shm/*; fi\npip list"
    server = found(f"{script}\n{SERVE}\nsysctl -w a=1")
    assert [said.partition(", which")[0] for said in server.decide] == [
        "the script also runs nvidia-smi (line 1, 2)",
        "the script also runs ray (line 3)",
        "the script also runs rm (line 4)",
    ]
    assert server.left_out == ("the script also runs pip (line 5); the harness runs the server alone",)


def test_a_key_that_is_left_to_the_proxy_asks_for_no_value() -> None:
    server = found(f'{SERVE} --api-key "$KEY" --seed "$SEED"')
    assert server.secrets == ("--api-key",) and server.decide == ("the script does not set $SEED; put its value in",)
