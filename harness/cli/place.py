"""Where a command works: the workspace's folder, its ledger, its targets. Resolved once at the edge."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from socket import gethostname

import typer

from harness.account import account_name
from harness.cli.speak import NEGATIVE, fail
from harness.vocabulary.accepted import Accepted
from harness.vocabulary.base import BadFileError
from harness.vocabulary.nearest import meant
from harness.vocabulary.private import BESIDE
from harness.vocabulary.records import ledger_settings
from harness.vocabulary.target import Planning, Target
from harness.workflow.order import read_target
from ledger.records import Records
from ledger.store import Ledger


def say_bad(sentences: Sequence[str]) -> None:
    """One sentence for each target file that cannot be used. Raises typer.Exit(1) if there is any."""
    for sentence in sentences:
        fail(sentence)
    if sentences:
        raise typer.Exit(NEGATIVE)


@dataclass(frozen=True)
class Place:
    """One workspace as the bench sees it."""

    folder: Path

    @classmethod
    def find(cls, folder: Path | None) -> "Place":
        """The folder given, else the nearest one upward that holds `targets/`. Raises BadFileError."""
        if folder is not None:
            if not (folder / "targets").is_dir():
                raise BadFileError(f"{str(folder)!r} holds no targets/; name a workspace with --workspace")
            return cls(folder.resolve())
        here = Path.cwd().resolve()
        for candidate in (here, *here.parents):
            if (candidate / "targets").is_dir():
                return cls(candidate)
        raise BadFileError(
            f"no workspace at or above {str(here)!r}; go into one, or make one with 'committee init DIR'"
        )

    def target(self, name: str, *, draft: bool = False) -> tuple[Target, str]:
        """The named target and the hash of its file. Raises BadFileError that lists what there is.

        What only looks, stops or restores takes a draft too; whatever would start or plan something does not.
        """
        path = self.folder / "targets" / f"{name}.toml"
        if "/" in name or not path.is_file():
            known = ", ".join(self.target_names()) or "none"
            hint = meant(name, self.target_names())
            raise BadFileError(f"no target {name!r} in {str(path.parent)!r}; there is: {known}{hint}")
        return read_target(path, draft=draft)

    def planning(self, name: str) -> Planning | None:
        """The target's figures for planning, none where its file is gone or cannot be used now."""
        try:
            return self.target(name, draft=True)[0].planned
        except BadFileError:
            return None

    def accepted(self, name: str) -> str | None:
        """Fingerprint of the newest accepted arm that is laid over the target's file, none if nothing is.

        Raises BadFileError.
        """
        overlay = self.folder / "targets" / f"{name}.accepted.toml"
        return Accepted.from_toml(overlay).fingerprint if overlay.exists() else None

    def all_targets(self, *, draft: bool = False) -> tuple[tuple[Target, ...], tuple[str, ...]]:
        """Every target that can be used, and one sentence for each file that cannot: a bad one hides no other.

        What only looks takes drafts too.
        """
        known, bad = list[Target](), list[str]()
        for name in self.target_names():
            try:
                known.append(self.target(name, draft=draft)[0])
            except BadFileError as error:
                bad.append(str(error))
        return tuple(known), tuple(bad)

    def target_names(self) -> tuple[str, ...]:
        """Names of all targets, sorted; what is laid over one is none."""
        return tuple(
            sorted(path.stem for path in (self.folder / "targets").glob("*.toml") if not path.stem.endswith(BESIDE))
        )

    @contextmanager
    def looking(self) -> Iterator[Ledger | None]:
        """The workspace's ledger to read in, none where there is none yet; looking makes nothing."""
        if not self.records.there():
            yield None
            return
        with self.ledger() as ledger:
            yield ledger

    def ledger(self, through: str = "") -> Ledger:
        """The workspace's ledger, made on first use; `through` says how entries come here, if not from this machine."""
        actor = f"{account_name()}@{gethostname()}"
        return self.records.open(f"{actor} {through}".strip())

    @property
    def records(self) -> Records:
        """Where the ledger is, by committee.toml's [ledger]. Raises BadFileError, LedgerError."""
        return Records.of(self.folder, ledger_settings(self.folder).url_env, os.environ)
