"""Fetching from hosts as they are: production that answers says what is in force, and over ssh the same comes back."""

import shutil
import sys
from pathlib import Path

import pytest

from committee.pull.fetch import drifted, pull
from harness.vocabulary.target import Target
from tests.committee.cli import yard
from tests.committee.proposals.sample import TARGET
from tests.harness.hosts.sshd import NAME, a_sshd

pytestmark = pytest.mark.system


def test_what_runs_says_what_is_in_force(tmp_path: Path) -> None:
    workspace = yard.make(tmp_path / "w")
    with (workspace / "targets" / "small.toml").open("a") as file:
        file.write("[sources]\ncompiled = []\n")
    with yard.production(workspace):
        done = yard.typed(workspace, "committee", "pull", "1")
    assert done.code == 0, done.err
    flags = (workspace / "proposals" / yard.PROPOSAL / "evidence" / "flags.toml").read_text()
    assert "in force by its own log and report" in flags
    assert 'name = "n-parallel"\nin_force = "4"' in flags


async def test_over_ssh_the_same_comes_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "a.cu"
    source.write_bytes(b"int f();\n" * 40_000)  # more than one piece of reading
    with a_sshd(tmp_path / "sshd") as sshd:
        (tmp_path / "home" / ".ssh").mkdir(parents=True)
        shutil.copy(sshd.config, tmp_path / "home" / ".ssh" / "config")
        monkeypatch.setenv("HOME", str(tmp_path / "home"))
        host = {"ssh": NAME, "folder": str(tmp_path / "far"), "python": sys.executable}
        compiled = [{"path": str(source), "into": "kernel/a.cu"}]
        words = ["{python}", "-c", "print('  --n-parallel N  slots (default: 1)')"]
        target = Target.model_validate({**TARGET, "host": host, "sources": {"compiled": compiled, "help": words}})
        pulled = await pull(tmp_path / "state", target)
        assert pulled.files == (("kernel/a.cu", source.read_bytes()),)
        assert [(one.name, one.default) for one in pulled.inventory.flag if one.default] == [("n-parallel", "1")]
        assert await drifted(tmp_path / "state", target, pulled.manifest) == ()
        source.write_bytes(b"other")
        assert len(await drifted(tmp_path / "state", target, pulled.manifest)) == 1
