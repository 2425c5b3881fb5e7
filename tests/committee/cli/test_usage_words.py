"""A mistyped word is answered with the program's own name, however it was begun."""

import sys
from collections.abc import Callable

import pytest

from committee.cli.app import main as committee
from harness.cli.app import main as harness


@pytest.mark.parametrize(("main", "said"), [(committee, "'committee check'"), (harness, "'harness lint'")])
def test_the_program_is_called_by_its_name(
    main: Callable[[], None], said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["/somewhere/__main__.py", said.strip("'").split()[1], "--nope"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2 and capsys.readouterr().err.startswith(said)
