"""Nothing tells anybody to install this project by a name that a stranger could give to a package."""

import re
from pathlib import Path

from ledger.extras import install

ROOT = Path(__file__).parents[2]
BY_NAME = re.compile(r"pip install (-\S+ )*[`'\"]?committee(\[|['\"`\s]|$)", re.MULTILINE)


def test_an_extra_comes_from_a_checkout_or_a_file() -> None:
    assert install("ssh") == (
        "install the extra 'ssh': `make .venv/.installed` in a checkout, elsewhere "
        "pip install './committee-VERSION-py3-none-any.whl[ssh]' with a wheel's file"
    )
    assert not BY_NAME.search(install("ssh"))


def test_nothing_is_installed_by_the_name_of_this_project() -> None:
    assert BY_NAME.search("pip install 'committee[ssh]'") and BY_NAME.search("pip install committee")
    named = [ROOT / name for name in ("committee", "harness", "ledger", "docs")]
    files = [one for folder in named for one in folder.rglob("*") if one.suffix in (".py", ".md", ".j2", ".toml")]
    found = [str(one.relative_to(ROOT)) for one in files if BY_NAME.search(one.read_text(encoding="utf-8"))]
    assert (found, len(files) > 300) == ([], True)
