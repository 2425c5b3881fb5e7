"""A bundle is checked by the program inside it, in a bare interpreter far from our packages; every change is seen."""

import hashlib
import json
import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ledger.anchor import Pin, Root, anchor, root_over
from ledger.errors import LedgerError
from ledger.export import PinnedObject, export
from ledger.store import Ledger
from ledger.withhold import Wanted, withhold

LAUNCH = "#13"  # names a blob


def check(folder: Path) -> tuple[int, list[str]]:
    """Exit status and lines of the bundle's own program, which sees the standard library only."""
    argv = [sys.executable, "-I", "-S", str(folder / "check.py")]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False, cwd="/", env={})
    assert done.stderr == ""
    return done.returncode, done.stdout.splitlines()


def pinned(pin: Pin) -> PinnedObject:
    """The pin in a git object, as git would name it."""
    content = f"tree x\n\nAnchor\n\n{pin.text()}".encode()
    name = hashlib.sha1(b"commit %d\x00" % len(content) + content).hexdigest()  # noqa: S324 - git's own hash
    return PinnedObject(pin, f"commit {name[:12]}", "commit", name, content)


@pytest.fixture
def bundle(full: Path, tmp_path: Path) -> Path:
    """The bundle of a launch with its log, under a pinned root."""
    with Ledger.open(full, actor="ada") as ledger:
        pin = pinned(anchor(ledger))
        ledger.append(ledger.find("19").payload)
        later = pinned(anchor(ledger))
        made = export(ledger, LAUNCH, tmp_path / "bundle", (later, pin))
    assert (made.entry.seq, made.size, made.pins) == (13, 21, (pin,))
    return made.folder


def test_a_bundle_proves_itself(bundle: Path) -> None:
    status, lines = check(bundle)
    assert (status, lines[-1]) == (0, "ALL HOLDS")
    assert [line.split(":")[0] for line in lines[:6]] == ["holds"] * 6
    assert len((bundle / "check.py").read_text().splitlines()) <= 100


def test_without_a_pin_it_says_so(full: Path, tmp_path: Path) -> None:
    with Ledger.open(full, actor="ada") as ledger:
        made = export(ledger, "1", tmp_path / "bundle")
        assert (made.size, made.root) == (20, root_over(ledger, 20))
    status, lines = check(made.folder)
    assert (status, lines[-2:]) == (
        0,
        ["no pin is in this bundle: compare the root with one kept outside the ledger", "ALL HOLDS"],
    )


def _json(change: Callable[[dict[str, Any]], object]) -> Callable[[Path], None]:
    def edit(folder: Path) -> None:
        value = json.loads((folder / "bundle.json").read_text())
        change(value)
        (folder / "bundle.json").write_text(json.dumps(value))

    return edit


def _bytes(pattern: str, change: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    def edit(folder: Path) -> None:
        (path,) = folder.glob(pattern)
        path.write_bytes(change(path.read_bytes()))

    return edit


CHANGES = {
    "payload": _bytes("payload.json", lambda content: content.replace(b"local", b"other")),
    "blob": _bytes("blobs/*", lambda content: content[:-1] + b"x"),
    "blob cut": _bytes("blobs/*", lambda content: content[:-1]),
    "blob gone": lambda folder: next((folder / "blobs").iterdir()).unlink(),
    "pin": _bytes("pins/*", lambda content: content.replace(b"Anchor", b"Forged")),
    "pin of another root": _bytes("pins/*", lambda content: content.replace(b"Ledger-Root: 21", b"Ledger-Root: 22")),
    "actor": _json(lambda value: value["header"].update(actor="somebody else")),
    "time": _json(lambda value: value["header"].update(time="2020-01-01T00:00:00.000000Z")),
    "seq": _json(lambda value: value["header"].update(seq=14)),
    "seq true": _json(lambda value: value["header"].update(seq=13.0)),
    "root": _json(lambda value: value["proof"].update(root="0" * 64)),
    "size": _json(lambda value: value["proof"].update(size=22)),
    "path": _json(lambda value: value["proof"].update(path=[])),
    "another blob": _json(lambda value: value["blobs"][0].update(sha256="0" * 64)),
    "withheld": _json(lambda value: value.update(withheld={"said": "yes"})),
    "no json": _bytes("bundle.json", lambda content: content[:40]),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_every_change_is_seen(bundle: Path, change: Callable[[Path], None], capsys: pytest.CaptureFixture[str]) -> None:
    change(bundle)
    assert runpy.run_path(str(bundle / "check.py"))["main"]() == 1
    assert capsys.readouterr().out.splitlines()[-1].startswith("NOT SHOWN")


@pytest.mark.parametrize(
    "content",
    [b'{"launch":"another",', b"[" * 200_000, b'{"z":1,"a":1}', b'{"a": 1}'],
    ids=["twice", "deep", "order", "space"],
)
def test_a_payload_that_others_may_read_otherwise_is_seen(
    bundle: Path, content: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    where = bundle / "payload.json"
    content += where.read_bytes()[1:] if content.endswith(b",") else b""
    where.write_bytes(content)
    value = json.loads((bundle / "bundle.json").read_text())
    value["header"]["payload_sha256"] = hashlib.sha256(content).hexdigest()
    (bundle / "bundle.json").write_text(json.dumps(value))
    assert runpy.run_path(str(bundle / "check.py"))["main"]() == 1
    said = capsys.readouterr().out
    assert "FAILS: payload.json says each thing once" in said or "cannot be read" in said


def test_what_is_withheld_is_proved_without_its_content(full: Path, tmp_path: Path) -> None:
    with Ledger.open(full, actor="ada") as ledger:
        log = ledger.find(LAUNCH).payload.model_dump()["log"]["sha256"]
        withhold(ledger, Wanted(entries=("1",), blobs=(log,)), reason="a key", person="Ada")
        entry, launched = export(ledger, "1", tmp_path / "entry"), export(ledger, LAUNCH, tmp_path / "launch")
    status, lines = check(entry.folder)
    assert (status, lines[1]) == (0, "holds: its payload is withheld: tombstone #21 of Ada: a key")
    status, lines = check(launched.folder)
    assert (status, lines[3]) == (
        0,
        f"holds: blob {log[:12]} is named by the payload, and withheld: tombstone #21 of Ada: a key",
    )


def test_refusals(full: Path, tmp_path: Path) -> None:
    with Ledger.open(full, actor="ada") as ledger:
        head = ledger.head()
        assert head is not None
        with pytest.raises(LedgerError, match="exists already; name a new folder"):
            export(ledger, "1", tmp_path)
        with pytest.raises(LedgerError, match="states another root over 20 entries; run `verify`"):
            export(ledger, "1", tmp_path / "a", (pinned(Pin(head, Root(20, "0" * 64))),))
        with pytest.raises(LedgerError, match="a pin covers 21 entries, but the ledger ends at #20"):
            export(ledger, "1", tmp_path / "a", (pinned(Pin(head, Root(21, "0" * 64))),))
    assert not (tmp_path / "a").exists()
