"""SECURITY.md names tests as evidence: each one it names exists."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NAMED = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`")


def test_every_test_named_in_the_threat_model_exists() -> None:
    named = NAMED.findall((ROOT / "SECURITY.md").read_text(encoding="utf-8"))
    assert len(named) > 20
    missing = []
    for file, function in named:
        path = ROOT / file
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        if not text or (function and not re.search(rf"def {function}\(", text)):
            missing.append(f"{file}::{function}" if function else file)
    assert not missing, "SECURITY.md names tests that do not exist:\n" + "\n".join(missing)


def test_every_adversary_has_what_is_not_covered() -> None:
    sections = (ROOT / "SECURITY.md").read_text(encoding="utf-8").split("\n## ")
    adversaries = [one for one in sections if one.startswith(("Reviewer", "Proposal author", "Server", "Ledger owner"))]
    assert len(adversaries) == 4
    assert all("Not covered:" in one for one in adversaries)
