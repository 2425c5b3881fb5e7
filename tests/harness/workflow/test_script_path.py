"""The PATH of a launch script comes over, a virtual environment's too; what nobody can know is said."""

import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from harness.adapters.base import FIXED_PATH, environment
from harness.vocabulary.target import Target
from harness.workflow.target_draft import draft
from tests.harness.workflow.adopted import SERVE, found


@pytest.mark.parametrize(
    ("script", "path", "folder"),
    [
        ("source /opt/v/bin/activate", f"/opt/v/bin:{FIXED_PATH}", "/opt/v"),
        ("V=/opt/v\n. $V/bin/activate\nexport PATH=/cuda/bin:$PATH", f"/cuda/bin:/opt/v/bin:{FIXED_PATH}", "/opt/v"),
        ("PATH=/a:$PATH\n. /v/bin/activate\n. /w/bin/activate", f"/w/bin:/a:{FIXED_PATH}", "/w"),
        (". /v/bin/activate\ndeactivate", FIXED_PATH, None),
        ("deactivate", None, None),
        ("export PATH=/cuda/bin${PATH:+:${PATH}}", f"/cuda/bin:{FIXED_PATH}", None),
        ("PATH=/only:/these", "/only:/these", None),
    ],
)
def test_the_search_path_of_the_script_is_the_servers(script: str, path: str | None, folder: str | None) -> None:
    server = found(f"{script}\n{SERVE}")
    env = dict(server.env)
    assert (env.get("PATH"), env.get("VIRTUAL_ENV")) == (path, folder) and server.decide == ()
    assert server.command[0] == (f"{folder}/bin/vllm" if folder else "vllm")
    target = Target.from_mapping(tomllib.loads(draft(server, "drafted", "x.sh")), "the draft")
    assert dict(environment(target, None))["PATH"] == (path or FIXED_PATH), "what the server is started with"
    assert target.recorded_env.count("PATH") == 1
    assert any("to the PATH of the shell that runs it" in said for said in server.left_out) == (
        path is not None and FIXED_PATH in path
    )


def test_a_real_shell_finds_the_same(tmp_path: Path) -> None:
    """Held against bash and the activate of a real virtual environment."""
    bash = shutil.which("bash")
    subprocess.run(["python3", "-m", "venv", "--without-pip", tmp_path / "v"], check=True, timeout=60)
    script = f"export PATH=/a${{PATH:+:$PATH}}\nsource {tmp_path}/v/bin/activate\nPATH=/b:$PATH\n"
    told = subprocess.run(
        [bash or "bash", "-c", f"{script} echo $PATH $VIRTUAL_ENV"],
        env={"PATH": FIXED_PATH},
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    ).stdout.split()
    env = dict(found(f"{script}{SERVE}").env)
    assert told == [env["PATH"], env["VIRTUAL_ENV"]]


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("conda activate llm", "'conda activate llm'"),
        ("module load cuda/12.4", "'module load cuda/12.4'"),
        ("source /opt/miniconda3/bin/activate llm", "'source /opt/miniconda3/bin/activate llm'"),
        ("source venv/bin/activate", "PATH holds 'venv/bin', which is no whole path"),
        ("PATH=$TOOLS/bin:$PATH", f"PATH holds '${{TOOLS}}/bin:{FIXED_PATH}', and the script does not set all of it"),
        ("export LD_LIBRARY_PATH=/l:$LD_LIBRARY_PATH", "LD_LIBRARY_PATH holds '/l:${LD_LIBRARY_PATH}', and the"),
    ],
)
def test_what_only_the_machine_knows_is_one_question(script: str, said: str) -> None:
    server = found(f"{script}\n{SERVE}")
    assert len(server.decide) == 1 and said in server.decide[0], server.decide
    assert f"# DECIDE: {server.decide[0]}" in draft(server, "drafted", "x.sh")


def test_a_home_of_its_own_and_other_words_of_these_programs_are_what_they_are() -> None:
    server = found(f"export HOME=/data\nconda info\nmodule list\n{SERVE}")
    assert dict(server.env) == {"HOME": "/data"} and server.decide == ()


def test_an_activation_under_a_condition_is_a_question() -> None:
    server = found(f"if x; then\n. /v/bin/activate\nfi\n{SERVE}")
    assert [said.partition(" is set only")[0] for said in server.decide] == ["PATH", "VIRTUAL_ENV"]
