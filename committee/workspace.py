"""A workspace: finding one upward from where a command runs, and what lies where in it. Making one is `making`."""

import os
import re
from dataclasses import dataclass
from pathlib import Path
from socket import gethostname

from harness.account import account_name
from harness.vocabulary.base import BadFileError
from harness.vocabulary.nearest import meant
from harness.vocabulary.private import BESIDE
from harness.vocabulary.records import ledger_settings
from harness.vocabulary.target import Target
from harness.workflow.order import read_target
from ledger.records import Records
from ledger.store import Ledger

CONFIG = "committee.toml"


def is_path(name: str) -> bool:
    """Whether a name on the command line is meant as a path, as `.` is and the end of a completed word."""
    return name in (os.curdir, os.pardir) or "/" in name or os.sep in name


@dataclass(frozen=True)
class Workspace:
    """A git repository with committee.toml, proposals/, targets/, kernels/ and a ledger."""

    folder: Path

    @classmethod
    def find(cls, folder: Path | None = None) -> "Workspace":
        """The folder given, else the nearest one upward that holds committee.toml. Raises BadFileError."""
        if folder is not None:
            if not (folder / CONFIG).is_file():
                raise BadFileError(f"{str(folder)!r} holds no {CONFIG}; make a workspace with `committee init DIR`")
            return cls(folder.resolve())
        here = Path.cwd().resolve()
        for candidate in (here, *here.parents):
            if (candidate / CONFIG).is_file():
                return cls(candidate)
        raise BadFileError(f"no workspace at or above {str(here)!r}; make one with `committee init DIR`")

    @property
    def config_path(self) -> Path:
        """Who reviews, and under which rules."""
        return self.folder / CONFIG

    @property
    def records(self) -> Records:
        """Where the ledger is, by committee.toml's [ledger]. Raises BadFileError, LedgerError."""
        return Records.of(self.folder, ledger_settings(self.folder).url_env, os.environ)

    @property
    def scratch(self) -> Path:
        """Disposable files of runs; never the truth, never committed."""
        return self.folder / ".committee"

    @property
    def actor(self) -> str:
        """Who writes into the ledger from here."""
        return f"{account_name()}@{gethostname()}"

    def ledger(self, actor: str | None = None) -> Ledger:
        """The workspace's ledger, made on first use. Raises LedgerError, BadFileError."""
        return self.records.open(actor or self.actor)

    def proposal_folder(self, name: str) -> Path:
        """The folder of a proposal named by id, number, slug or path. Raises BadFileError that lists what there is."""
        home = self.folder / "proposals"
        known = sorted(path.name for path in home.iterdir() if path.is_dir()) if home.is_dir() else []
        wanted = self._id_in_path(name) if is_path(name) else name
        if wanted is None:
            raise BadFileError(
                f"{name!r} is no proposal's folder in {str(home)!r}; there is: {', '.join(known) or 'none'}"
            )
        number = name.zfill(4) if name.isdecimal() else None  # 3 is 0003
        found = [one for one in known if wanted in (one, one[:4], one[5:]) or number == one[:4]]
        if not found and wanted:  # the beginning of a slug, where it begins no other
            found = [
                one for one in known if wanted[:1].isalnum() and (one[5:].startswith(wanted) or one.startswith(wanted))
            ]
        if len(found) == 1:
            return home / found[0]
        said = f"several proposals are {name!r}" if found else f"no proposal {name!r} in {str(home)!r}"
        raise BadFileError(f"{said}; there is: {', '.join(found or known) or 'none'}")

    def _id_in_path(self, path: str) -> str | None:
        """The last part of a path into this workspace's proposals/, from here, from the workspace or from there."""
        home = (self.folder / "proposals").resolve()
        for start in (Path.cwd(), self.folder, home):
            for whole in (Path(os.path.normpath(start / path)), (start / path).resolve()):
                if whole.parent.resolve() == home:
                    return whole.name
        return None

    def target(self, name: str) -> tuple[Target, str]:
        """The target with its accepted baseline, and the hash of its files. Raises BadFileError."""
        path = self.folder / "targets" / f"{name}.toml"
        if not re.fullmatch(r"[a-z0-9-]+", name) or not path.is_file():
            known = sorted(p.stem for p in path.parent.glob("*.toml") if not p.stem.endswith(BESIDE))
            there = ", ".join(known) or "none"
            raise BadFileError(f"no target {name!r} in {str(path.parent)!r}; there is: {there}{meant(name, known)}")
        return read_target(path)
