"""The same yard on both kinds of host: every test that takes `yard` is a clause of the hosts' contract."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.harness.hosts.sshd import a_sshd
from tests.harness.hosts.yard import Yard, a_yard

KINDS = ["local", pytest.param("ssh", marks=pytest.mark.system)]


@pytest.fixture(params=KINDS)
def yard(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Yard]:
    """Empty at the beginning and, of processes, at the end."""
    if request.param == "local":
        with a_yard(tmp_path) as made:
            yield made
        return
    with a_sshd(tmp_path / "sshd") as sshd, a_yard(tmp_path, sshd) as made:
        yield made
