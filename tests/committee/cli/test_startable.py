"""What a check says of programs that are not there, and of hosts that it does not ask."""

from pathlib import Path

from tests.committee.cli.yard import typed


def warned(ws: Path, old: str, new: str) -> str:
    """What `committee check` prints for a target's file with one change."""
    path = ws / "targets" / "small.toml"
    path.write_text(path.read_text().replace(old, new))
    said = typed(ws, "committee", "check", "0001")
    assert said.code == 0 and "may be submitted" in said.out
    return said.out


def test_a_program_that_is_not_here_is_a_warning(ws: Path) -> None:
    said = warned(ws, '"{python}"', '"/opt/none/llama-server"')
    assert "warning: targets/small.toml: the baseline of 'small' cannot start: '/opt/none/llama-server'" in said
    assert "`committee measure` is refused until then" in said


def test_another_machine_is_not_asked(ws: Path) -> None:
    host = '[host]\nssh = "server"\n[endpoint]\nport = 8000'
    said = warned(ws, "[endpoint]\nport = 0", host)
    assert "whether its program and model are on 'server' was not asked; `harness doctor` asks that host" in said
