"""What servers and reviewers wrote reaches a terminal as text: no control codes, no markup, and it ends no run."""

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from harness.cli.live import LineWatcher, LiveWatcher
from harness.cli.speak import fail, print_json, print_json_line, say, say_text
from harness.cli.terminal import aligned, cells, one_line, shown
from harness.vocabulary.hidden import hidden
from harness.workflow.events import MeasureEvent

EVIL = "\x1b]0;pwn\x07\x1b[2Jx\u009b31m\u202ey\u2028z\rw\x7f"
ESCAPED = "\\x1b]0;pwn\\x07\\x1b[2Jx\\x9b31m\\u202ey\\u2028z\\x0dw\\x7f"
MARKUP = ("[/INST]", "[link=http://evil]x[/link]", "[rank0]")


def event(what: str, text: str) -> MeasureEvent:
    return MeasureEvent(what, "measure-abcdef", text, 1, 10, None)  # type: ignore[arg-type]


def test_control_codes_are_shown_and_letters_stay() -> None:
    assert shown(EVIL) == ESCAPED
    assert shown("中文, é, a\tb\nc 👩\u200d🔧") == "中文, é, a\tb\nc 👩\u200d🔧"
    assert shown("\ud800") == "\\ud800"
    assert one_line("no\u200b\u2060\ufeff gain\U000e0041\u3164") == "no\\u200b\\u2060\\ufeff gain\\U000e0041\\u3164"


@given(st.text())
def test_nothing_harmful_is_left_and_escaping_twice_changes_nothing(text: str) -> None:
    once = shown(text)
    assert shown(once) == once
    assert one_line(one_line(text)) == one_line(text) and not any(char in one_line(text) for char in "\n\t")
    assert not any((ord(char) < 32 and char not in "\n\t") or 0x7F <= ord(char) < 0xA0 for char in once)
    assert list(hidden(once)) == []


def test_sentences_reach_the_terminal_escaped(capsys: pytest.CaptureFixture[str]) -> None:
    say(EVIL)
    fail(EVIL)
    said = capsys.readouterr()
    assert (said.out, said.err) == (f"{ESCAPED}\n", f"{ESCAPED}\n")


def test_recorded_words_begin_no_line_and_no_column(capsys: pytest.CaptureFixture[str]) -> None:
    forged = "no gain\nverdict FASTER\tVALID"
    say(f"parked: {forged}")
    fail(forged)
    said = capsys.readouterr()
    assert said.out == "parked: no gain\\nverdict FASTER\\tVALID\n"
    assert said.err == "no gain\\nverdict FASTER\\tVALID\n"
    assert cells(forged)[0].plain == one_line(forged) == "no gain\\nverdict FASTER\\tVALID"
    assert list(aligned(("what",), [(forged,)]))[1] == one_line(forged)


def test_a_whole_text_keeps_its_lines_and_columns(capsys: pytest.CaptureFixture[str]) -> None:
    say_text("+\tint x;\n\x1b[2J-y")
    assert capsys.readouterr().out == f"+{' ' * 7}int x;\n\\x1b[2J-y\n"


def test_json_is_ascii_and_reads_back(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"a": EVIL})
    print_json_line({"a": EVIL})
    said = capsys.readouterr().out
    assert said.isascii() and "\x1b" not in said
    assert [json.loads(said[: said.index("}") + 1]), json.loads(said.splitlines()[-1])] == [{"a": EVIL}] * 2


@pytest.mark.parametrize("text", [*MARKUP, EVIL])
def test_a_servers_words_are_no_markup_in_live_progress(text: str) -> None:
    stream = io.StringIO()
    with LiveWatcher(Console(file=stream, force_terminal=True, width=150)) as watcher:
        watcher.tell(event("launch_done", f"block 1/4: {text}"))
        watcher.progress.refresh()
    assert f"  block 1/4: {shown(text)}\n" in stream.getvalue()
    assert stream.getvalue().count(shown(text)) >= 2  # the line above, and the bar's own last column
    assert "\x1b]" not in stream.getvalue() and "\u009b" not in stream.getvalue()


@pytest.mark.parametrize("text", [*MARKUP, EVIL])
def test_cells_of_a_table_are_no_markup(text: str) -> None:
    (cell,) = cells(text)
    assert (cell.plain, cell.spans) == (shown(text), [])


class Broken(io.StringIO):
    """A terminal that is gone, in a way nobody foresaw."""

    def write(self, text: str) -> int:
        """Fail always."""
        raise RuntimeError(text)


def test_a_display_that_fails_ends_no_run() -> None:
    lines = LineWatcher()
    lines.stream = Broken()
    lines.tell(event("launch_done", "x"))
    LiveWatcher(Console(file=Broken(), force_terminal=True)).tell(event("launch_done", "x"))


def test_aligned_lines_hold_every_cell_whole_and_no_control_code() -> None:
    rows = [("review-20260101-120000-ab12", "1", EVIL), ("x", "22", "")]
    head, first, second = aligned(("run", "n", "what"), rows)
    assert head == f"run{' ' * 26}n   what"
    assert first == f"review-20260101-120000-ab12  1   {ESCAPED}"
    assert second == f"x{' ' * 28}22"
