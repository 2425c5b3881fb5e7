"""What reviewers need is tried, one line a need; no value of a key is printed, and nothing is sent."""

import shutil
from pathlib import Path

import pytest

from committee.cli.seats import seat_checks
from committee.vocabulary.config import CommitteeConfig
from tests.committee.cli.yard import COMMITTEE, make, typed, value

KEY = "sk-value-that-nobody-may-see"
PATH = {"PATH": "/usr/bin:/bin"}


def config(**seat: object) -> CommitteeConfig:
    """One reviewer, a command-line agent unless it says otherwise."""
    value = {"name": "agent", "kind": "command", "argv": ("/bin/sh",)} | seat
    return CommitteeConfig.model_validate({"schema": 1, "review": {"quorum": 1}, "reviewer": [value]})


def hosted(**seat: object) -> CommitteeConfig:
    """One live reviewer."""
    live: dict[str, object] = {"kind": "openai", "argv": (), "model": "m", "base_url": "https://api.example.org/v1"}
    return config(**(live | {"key_env": "A_KEY"} | seat))


def script(folder: Path, mode: int, text: str = "#!/bin/sh\n") -> str:
    """A program in a folder, with these rights."""
    path = folder / "agent-program"
    path.write_text(text)
    path.chmod(mode)
    return str(path)


def test_a_program_that_is_not_there_is_named(tmp_path: Path) -> None:
    for argv, said in (
        (("committee-no-such-agent",), "'committee-no-such-agent' is not on PATH"),
        ((str(tmp_path / "gone"),), "is not there, so its part would be left out whole"),
        ((script(tmp_path, 0o644),), "is no executable file; `chmod +x` it"),
    ):
        ((name, good, detail),) = seat_checks(config(argv=argv), PATH, bwrap=None)
        assert (name, good) == ("reviewer agent", False) and said in detail


def test_without_bubblewrap_an_agent_that_is_here_is_named() -> None:
    program, shut_in = seat_checks(config(), PATH, bwrap=None)
    assert program == ("reviewer agent", True, "program /bin/sh")
    assert shut_in[:2] == ("agents shut in", False) and "install bubblewrap" in shut_in[2]


def test_who_asked_to_be_free_is_named() -> None:
    _, shut_in = seat_checks(config(confined=False), PATH, bwrap="/bin/false")
    assert shut_in == ("agents shut in", False, "not agent: `confined` is false")


def test_bubblewrap_is_really_started(tmp_path: Path) -> None:
    stand_in = script(tmp_path, 0o755, "#!/bin/sh\nexit 0\n")
    _, started, inside = seat_checks(config(), PATH, bwrap=stand_in)
    assert started == ("bubblewrap", True, f"{stand_in} starts") and inside[1]
    broken = script(tmp_path, 0o755, "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    _, refused = seat_checks(config(), PATH, bwrap=broken)
    assert refused[:2] == ("bubblewrap", False)
    assert "No permissions to create new namespace); allow user namespaces" in refused[2]
    _, gone = seat_checks(config(), PATH, bwrap=str(tmp_path / "gone"))
    assert gone[:2] == ("bubblewrap", False) and "install bubblewrap anew" in gone[2]


@pytest.mark.system
def test_a_program_that_is_hidden_when_shut_in_is_named(tmp_path: Path) -> None:
    """With the real bubblewrap: what lies outside the folders it may read is not there inside."""
    bwrap = shutil.which("bwrap")
    assert bwrap is not None, "this test needs bubblewrap"
    argv = (script(tmp_path, 0o755),)
    *_, hidden = seat_checks(config(argv=argv), PATH, bwrap)
    assert hidden[:2] == ("reviewer agent: shut in", False) and "add its folder to `readable`" in hidden[2]
    *_, started, seen = seat_checks(config(argv=argv, readable=(str(tmp_path),)), PATH, bwrap)
    assert started[:2] == ("bubblewrap", True) and seen[1]


@pytest.mark.parametrize(
    ("key", "good", "said"),
    [
        (KEY, True, "A_KEY is set"),
        ("", False, "A_KEY is not set; export it"),
        (f"{KEY}\n", False, "A_KEY is set but holds blanks"),
        (f"{KEY} x", True, "A_KEY is set"),
        (f"{KEY}\u200b", False, "signs that no key has"),
    ],
)
def test_a_key_is_looked_at_and_never_shown(key: str, good: bool, said: str) -> None:
    address, found = seat_checks(hosted(), {"A_KEY": key} if key else {}, bwrap=None)
    assert address == ("reviewer agent: address", True, "https://api.example.org/v1 is well formed")
    assert found[:2] == ("reviewer agent: key", good) and said in found[2] and KEY not in found[2]


def test_no_key_is_named_as_none() -> None:
    _, found = seat_checks(hosted(key_env=None), {}, bwrap=None)
    assert found[1] and "none is sent" in found[2]


@pytest.mark.parametrize(
    ("url", "good", "said"),
    [
        ("https://api.example.org/v1/chat/completions", False, "which is added to it"),
        ("https://api.example.org/v1/chat/completions/", False, "which is added to it"),
        ("https://api.example.org", True, "most such APIs begin at /v1"),
    ],
)
def test_the_form_of_an_address(url: str, good: bool, said: str) -> None:
    address, _ = seat_checks(hosted(base_url=url), {"A_KEY": KEY}, bwrap=None)
    assert address[1] is good and said in address[2]


def test_a_recording_that_is_not_there() -> None:
    gone = config(kind="recorded", argv=(), recording="/nonexistent/r.json")
    ((_, good, detail),) = seat_checks(gone, {}, bwrap=None)
    assert not good and "correct `recording`" in detail


def test_check_reads_committee_toml_and_says_what_its_reviewers_lack(tmp_path: Path) -> None:
    ws = make(tmp_path / "ws")
    assert typed(ws, "committee", "check", "0001").code == 0
    agent = '[[reviewer]]\nname = "agent"\nkind = "command"\nargv = ["committee-no-such-agent"]\n'
    (ws / "committee.toml").write_text(f"{COMMITTEE}{agent}price_in_per_mtok = 0\nprice_out_per_mtok = 0\n")
    lacking = typed(ws, "committee", "check", "0001")
    assert lacking.code == 0 and "warning: committee.toml: reviewer agent: program" in lacking.out
    assert "without a price" not in lacking.out
    (ws / "committee.toml").write_text(COMMITTEE + agent)
    doctor = typed(ws, "committee", "doctor")
    assert doctor.code == 1 and "LOOK  reviewer agent: program 'committee-no-such-agent'" in doctor.out
    (ws / "committee.toml").write_text(COMMITTEE.replace("quorum = 2", "quorum = 3"))
    broken = typed(ws, "committee", "check", "0001", "--json")
    assert broken.code == 1 and not value(broken)["passes"]
    (finding,) = [one for one in value(broken)["findings"] if one["severity"] == "error"]
    assert finding["where"] == "committee.toml" and "quorum is 3 but there are only 2 reviewers" in finding["sentence"]
