"""Code is measured only with a person's name, whichever program orders it; a dry run shows what happens to files."""

from pathlib import Path

import pytest

from tests.committee.cli.yard import CRITERIA, PROPOSAL, TARGET, Said, make, typed

CODE = 'schema = 1\nname = "code"\n[[deploy]]\nfind = "MODE=a"\nreplace = "MODE=b"\n'


@pytest.fixture
def ws(tmp_path: Path) -> Path:
    """A workspace whose target starts by a script, with an arm of code in its proposal."""
    place = make(tmp_path / "ws")
    script = 'command = ["/bin/sh", "/srv/deploy.sh"]\nflags'
    listed = '[deploy]\nscript = "/srv/deploy.sh"\nedits = true\n[teardown]'
    text = "\n".join(line for line in TARGET.splitlines() if not line.startswith("command ="))
    text = text.replace("flags", script, 1).replace("[teardown]", listed)
    (place / "targets" / "small.toml").write_text(text)
    (place / "proposals" / PROPOSAL / "arms" / "code.toml").write_text(CODE)
    (place / "criteria.toml").write_text(CRITERIA)
    return place


def asked(ws: Path, program: str, *words: str) -> Said:
    """A dry run of the arm by either program."""
    if program == "committee":
        return typed(ws, "committee", "measure", "0001", "--arm", "code", "--dry-run", *words)
    files = ("--arm", str(ws / "proposals" / PROPOSAL / "arms" / "code.toml"), "--criteria", str(ws / "criteria.toml"))
    return typed(ws, "harness", "measure", "small", *files, "--dry-run", *words)


@pytest.mark.parametrize("program", ["committee", "harness"])
def test_code_is_ordered_with_a_persons_name_only(ws: Path, program: str) -> None:
    said = asked(ws, program)
    assert said.code == 2, said
    assert "arm 'code' runs code that is not production's; a person has to read it and say yes" in said.err
    said = asked(ws, program, "--approve", "Ada Example")
    assert said.code == 0, said
    assert "in the copy 'MODE=a' becomes 'MODE=b'" in said.out
    assert "copy /srv/deploy.sh -> /srv/deploy.committee-LAUNCH.sh, read-only" in said.out


def test_check_says_so_beforehand(ws: Path) -> None:
    said = typed(ws, "committee", "check", "0001")
    assert "`committee measure --approve NAME`" in said.out + said.err
