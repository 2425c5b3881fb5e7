"""Launch scripts in several styles are read as data, and what only a machine knows stays visible."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.workflow.shell_script import NotReadableError, read_script

ARRAY = """ARGS=(
  --model "$MODEL"   # the big one
  --tp 4
)
ARGS+=(--seed 1)
serve "${ARGS[@]}"
"""


def words(text: str) -> list[tuple[str, ...]]:
    """The commands of a script."""
    return [line.words for line in read_script(text)]


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("serve --a 1 \\\n  --b 2\n", [("serve", "--a", "1", "--b", "2")]),
        ("M=/srv/m\nserve $M", [("serve", "/srv/m")]),
        ("M='a b'\nserve \"$M\" $M", [("serve", "a b", "a", "b")]),
        ('serve "${M:-/srv/m}"', [("serve", "/srv/m")]),
        ("M=${1:-x}; serve $M", [("serve", "x")]),
        ("MODEL=/srv/m\n" + ARRAY, [("serve", "--model", "/srv/m", "--tp", "4", "--seed", "1")]),
        ("serve '$M' \\$M # a comment with 'a quote", [("serve", "$M", "$M")]),
        ("serve --p 8 > out.log 2>&1 &", [("serve", "--p", "8")]),
        ("serve --p 8 >>out.log 2>>err.log", [("serve", "--p", "8")]),
        ("serve --p 8 &> >(tee log)", [("serve", "--p", "8")]),
        ("a && b || c; d | e", [("a",), ("b",), ("c",), ("d",), ("e",)]),
        ("cat <<EOF > f\nserve 'never\nEOF\nserve", [("cat",), ("serve",)]),
        ("X=1\nX+=2\nserve $X", [("serve", "12")]),
        ("serve --json '{\"a\": 1}'", [("serve", "--json", '{"a": 1}')]),
        ("serve $(nproc) `date`", [("serve", "$(...)", "$(...)")]),
        ('serve "$@" x', [("serve", "x")]),
        ('X=""; $X; $X serve', [("serve",)]),
        ('A=()\nA+=(x)\nA+=y\nserve "${A[@]}"', [("serve", "xy")]),
        ('A=("" \'a;b\')\nserve "${A[@]}"', [("serve", "", "a;b")]),
        ("", []),
    ],
)
def test_commands_with_what_the_script_knows_put_in(text: str, commands: list[tuple[str, ...]]) -> None:
    assert [line for line in words(text) if line != ("",)] == commands


def test_the_environment_of_a_command() -> None:
    script = "export A=1\nB=2\nset -a\nC=3\nset +a\nD=4 serve\n"
    (line,) = [line for line in read_script(script) if line.words == ("serve",)]
    assert dict(line.env) == {"A": "1", "C": "3", "D": "4"}


def test_what_a_condition_sets_is_marked() -> None:
    script = 'if [ "$1" = x ]; then\n  export A=1\n  serve\nfi\nserve again\n'
    first, second = (line for line in read_script(script) if line.words[0] == "serve")
    assert first.conditional and not second.conditional
    assert first.unsure == second.unsure == ("A",)


def test_what_the_script_does_not_set_stays_visible() -> None:
    (line,) = read_script("serve $PORT ${HOST}")
    assert line.words == ("serve", "${PORT}", "${HOST}") and line.unknown == ("PORT", "HOST")


@pytest.mark.parametrize("text", ["serve 'open", "A=(1 2\nserve", 'serve "x'])
def test_what_is_never_closed_is_refused(text: str) -> None:
    with pytest.raises(NotReadableError, match="line 1 opens a quote or a bracket"):
        read_script(text)


def test_nothing_is_ever_run(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    read_script(f"touch {mark}\nX=$(touch {mark})\nserve `touch {mark}` > {mark}\n")
    assert not mark.exists()


@given(st.text(alphabet=st.sampled_from("ab=$\"'\\\n (){};&|<>#`-~*"), max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        found = read_script(text)
    except NotReadableError:
        return
    assert all(line.words for line in found)
