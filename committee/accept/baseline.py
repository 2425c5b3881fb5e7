"""The target's new baseline as a file of its own: the file that a person wrote stays as it is."""

import json
import tomllib
from pathlib import Path

from harness.vocabulary.accepted import Accepted
from harness.vocabulary.arm import Arm, normal
from harness.vocabulary.base import BadFileError, Scalar, parse_toml
from harness.vocabulary.target import Target
from ledger.entries import Acceptance
from ledger.store import Entry


def overlay_path(targets: Path, target: str) -> Path:
    """Where the accepted settings of a target lie."""
    return targets / f"{target}.accepted.toml"


def read_overlay(path: Path) -> Accepted | None:
    """What was accepted so far, none if nothing was. Raises BadFileError."""
    return Accepted.from_toml(path) if path.exists() else None


def accepted_head(text: str) -> str | None:
    """The ledger entry that an overlay's text names, none where the text cannot be read."""
    try:
        return str(tomllib.loads(text).get("ledger_head"))
    except (ValueError, RecursionError):
        return None


def merged(target: Target, before: Accepted | None, arm: Arm, entry: Entry, acceptance: Acceptance) -> Accepted:
    """The settings accepted so far with the arm's laid over them, spelled as the target's file spells them."""
    spelling = {normal(flag): flag for flag in target.baseline.flags}
    changed = {spelling.get(normal(flag), normal(flag)): value for flag, value in arm.flags.items()}
    return Accepted.model_validate(
        {
            "schema": 1,
            "target": target.name,
            "flags": {**(before.flags if before else {}), **changed},
            "env": {**(before.env if before else {}), **arm.env},
            "model": arm.model or (before.model if before else None),
            "proposal": acceptance.proposal,
            "arm": acceptance.arm_name,
            "fingerprint": acceptance.arm,
            "ledger_head": entry.id,
        }
    )


def write_overlay(path: Path, accepted: Accepted, acceptance: Acceptance) -> None:
    """Put the file in place, once its text reads back as what was accepted. Raises BadFileError, OSError."""
    content = as_toml(accepted, acceptance).encode()
    if Accepted.from_mapping(parse_toml(content, str(path)), str(path)) != accepted:
        raise BadFileError(f"{str(path)!r} could not be written so that it reads back; report this arm")
    put(path, content)


def put(path: Path, content: bytes | None) -> None:
    """Make a file hold this content, in one step, or take it away; no draft is left. Raises OSError."""
    if content is None:
        path.unlink(missing_ok=True)
        return
    draft = path.with_name(f".{path.name}.draft")
    try:
        draft.write_bytes(content)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def as_toml(accepted: Accepted, acceptance: Acceptance) -> str:
    """The file's text, with where it came from in comments."""
    lines = [
        f"# The accepted settings of {accepted.target}, laid over {accepted.target}.toml by `committee accept`.",
        f"# Change it by accepting another arm; `committee rollback {accepted.target} --reason TEXT` goes back.",
        f"# Newest: arm {accepted.arm} of {accepted.proposal}, revision {acceptance.tree},",
        f"# measured in {acceptance.run}, decided by {acceptance.person}.",
        "schema = 1",
        f"target = {_value(accepted.target)}",
        f"proposal = {_value(accepted.proposal)}",
        f"arm = {_value(accepted.arm)}",
        f"fingerprint = {_value(accepted.fingerprint)}",
        f"ledger_head = {_value(accepted.ledger_head)}",
        *([f"model = {_value(accepted.model)}"] if accepted.model else []),
        *_table("flags", accepted.flags),
        *_table("env", accepted.env),
    ]
    return "\n".join(lines) + "\n"


def _table(name: str, values: dict[str, Scalar] | dict[str, str]) -> list[str]:
    return ["", f"[{name}]", *(f"{_value(key)} = {_value(value)}" for key, value in sorted(values.items()))]


def _value(value: Scalar) -> str:
    """A TOML value. JSON's strings are TOML's basic strings, but for DEL, which TOML wants escaped."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
    return json.dumps(value)
