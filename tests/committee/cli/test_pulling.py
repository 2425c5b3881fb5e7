"""`committee pull` writes what the server compiles into the proposal, and `check` says when it has drifted."""

import json
from pathlib import Path

import pytest

from tests.committee.cli import yard

SOURCE = "// as compiled\nint f() { return 1; }\n"
HELP = "print('  --token-s S  pause (default: 0)')"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A workspace whose target lists one source and its help."""
    workspace = yard.make(tmp_path / "w")
    (tmp_path / "a.cu").write_text(SOURCE)
    listed = {"path": str(tmp_path / "a.cu"), "into": "kernel/a.cu"}
    sources = f'[sources]\nhelp = ["{{python}}", "-c", {json.dumps(HELP)}]\n[[sources.compiled]]\n'
    sources += "\n".join(f"{key} = {json.dumps(value)}" for key, value in listed.items())
    with (workspace / "targets" / "small.toml").open("a") as file:
        file.write(sources)
    return workspace


def test_pulled_checked_and_drifted(place: Path, tmp_path: Path) -> None:
    folder = place / "proposals" / yard.PROPOSAL
    done = yard.typed(place, "committee", "pull", "1", "--target", "small")
    assert done.code == 0, done.err
    assert "wrote kernel/a.cu" in done.out and "wrote evidence/flags.toml" in done.out
    assert (folder / "kernel" / "a.cu").read_text() == SOURCE
    assert 'name = "token-s"\ndefault = "0"\nasked = "0.005"' in (folder / "evidence" / "flags.toml").read_text()
    assert "wrote" not in yard.typed(place, "committee", "pull", "1").out  # the second time nothing has changed
    assert "host" not in yard.typed(place, "committee", "check", "1").out

    (tmp_path / "a.cu").write_text("other")
    drifted = yard.typed(place, "committee", "check", "1")
    assert "has changed on the host since 'kernel/a.cu' was fetched; pull again" in drifted.out
    (folder / "kernel" / "a.cu").write_text("mine")
    assert "it is no longer what was fetched" in yard.typed(place, "committee", "check", "1").out


def test_the_flags_and_the_source_stand_in_what_would_be_sent(place: Path) -> None:
    yard.typed(place, "committee", "pull", "1")
    shown = yard.typed(place, "committee", "review", "1", "--dry-run")
    assert "- token-s: default 0, in force not said by the engine, asked 0.005" in " ".join(shown.out.split("\n"))
    assert "int f() { return 1; }" in shown.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--target", "other"), "is about target 'small', not 'other'"),
        ((), "is a symbolic link; remove it, then pull again"),
    ],
)
def test_refusals(place: Path, tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    (place / "proposals" / yard.PROPOSAL / "kernel").symlink_to(tmp_path)
    refused = yard.typed(place, "committee", "pull", "1", *words)
    assert refused.code == 2 and said in " ".join(refused.err.split())
    assert not (place / "proposals" / yard.PROPOSAL / "evidence").exists()


def test_of_another_target_it_is_said(place: Path) -> None:
    yard.typed(place, "committee", "pull", "1")
    manifest = place / "proposals" / yard.PROPOSAL / "evidence" / "pulled.toml"
    manifest.write_text(manifest.read_text().replace('"small"', '"large"'))
    assert "fetched from the host of 'large'" in yard.typed(place, "committee", "check", "1").out
