"""Whose account this process runs under, also one that no list of accounts knows (`docker run --user 12345`).

Standard library only: copied to another host.
"""

import os
from collections.abc import Callable, Mapping, MutableMapping
from typing import Protocol

NAMED_BY = ("LOGNAME", "USER", "LNAME", "USERNAME")  # as getpass.getuser reads them


class Account(Protocol):
    """What the list of accounts says of one; `pwd.struct_passwd` is one."""

    @property
    def pw_name(self) -> str:
        """Its name."""

    @property
    def pw_dir(self) -> str:
        """Its home."""


Listed = Callable[[int], Account]  # raises KeyError for a number that is not listed


def listed(uid: int) -> Account:
    """The system's list of accounts. Raises KeyError."""
    import pwd  # noqa: PLC0415 - only POSIX has it, and the front office loads without

    return pwd.getpwuid(uid)


def account_name(environ: Mapping[str, str] = os.environ, find: Listed = listed) -> str:
    """Its name, as the shell or else the list of accounts says it; `uid-12345` where neither does."""
    told = next((environ[name] for name in NAMED_BY if environ.get(name)), "")
    if told:
        return told
    try:
        return find(os.getuid()).pw_name
    except KeyError:
        return f"uid-{os.getuid()}"


def account_home(environ: Mapping[str, str] = os.environ, find: Listed = listed) -> str:
    """Its home as the list of accounts says it; where it is not listed, what HOME says, else `/`."""
    try:
        return find(os.getuid()).pw_dir
    except KeyError:
        return environ.get("HOME") or "/"


def account_user(find: Listed = listed) -> str:
    """What `User=` of a unit takes (systemd.exec(5)): the listed name, whatever the shell says, else the number."""
    try:
        return find(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())


def introduce(environ: MutableMapping[str, str] = os.environ, find: Listed = listed) -> None:
    """Say name and home where nothing does: libraries that ask for them by themselves fail where no list knows them."""
    if any(environ.get(name) for name in NAMED_BY):
        return
    environ["LOGNAME"] = account_name(environ, find)
    environ.setdefault("HOME", account_home(environ, find))
