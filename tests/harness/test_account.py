"""An account that no list knows, as in a container with a number for a user, has a name and a home all the same."""

import os
import pwd
import re
from pathlib import Path

from harness.account import Account, account_home, account_name, account_user, introduce

ROOT = Path(__file__).resolve().parents[2]


def nobody(uid: int) -> Account:
    """The list of accounts in a container that was started with another number."""
    raise KeyError(f"getpwuid(): uid not found: {uid}")


def ada(uid: int) -> Account:
    """A list of accounts that knows this one."""
    return pwd.struct_passwd(("ada", "x", uid, uid, "", "/home/ada", "/bin/sh"))


def test_an_account_that_is_not_listed_is_named_by_its_number() -> None:
    assert account_name({}, nobody) == f"uid-{os.getuid()}"
    assert account_name({"USER": "", "LOGNAME": ""}, nobody) == f"uid-{os.getuid()}"
    assert account_name({"USER": "ada"}, nobody) == "ada"
    assert (account_home({"HOME": "/home/ada"}, nobody), account_home({"USER": "ada"}, nobody)) == ("/home/ada", "/")


def test_an_account_that_is_listed_has_its_home_whatever_the_shell_says() -> None:
    assert account_name({}, ada) == "ada"
    assert account_name({"LOGNAME": "eve", "USER": "bob"}, ada) == "eve"
    assert account_home({"HOME": "/elsewhere"}, ada) == "/home/ada"


def test_a_unit_names_a_listed_account_by_its_name_and_another_by_its_number() -> None:
    assert (account_user(ada), account_user(nobody)) == ("ada", str(os.getuid()))


def test_name_and_home_are_told_only_where_nothing_says_them() -> None:
    for environ, told in (
        ({}, {"LOGNAME": f"uid-{os.getuid()}", "HOME": "/"}),
        ({"LOGNAME": "", "HOME": "/srv"}, {"LOGNAME": f"uid-{os.getuid()}", "HOME": "/srv"}),
        ({"USER": "eve"}, {"USER": "eve"}),
    ):
        introduce(environ, nobody)
        assert environ == told


def test_nothing_else_asks_who_the_account_is() -> None:
    asking = re.compile(r"\bgetuser\(|\bgetpwuid\(")
    files = [path for package in ("committee", "harness", "ledger") for path in (ROOT / package).rglob("*.py")]
    assert [path.name for path in files if asking.search(path.read_text("utf-8"))] == ["account.py"]
