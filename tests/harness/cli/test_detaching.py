"""What a person is told who stops the sending of a run to another machine."""

import asyncio
import signal
from pathlib import Path

import pytest
import typer

from harness import __version__
from harness.cli.detaching import detach_run
from harness.cli.place import Place
from harness.hosts.ssh_link import Channel, Finished
from harness.vocabulary.target import OtherHost
from harness.workflow.detached import Terms
from tests.harness.workflow.bench_yard import BenchYard


class Stopping:
    """A link on which a person presses Ctrl-C while the command that ends with this word runs there."""

    name = "gpu1"

    def __init__(self, word: str) -> None:
        self.word = word

    async def open(self, name: str) -> "Stopping":
        return self

    async def run(self, argv: tuple[str, ...], stdin: bytes, timeout_s: float) -> Finished:
        if argv[-1] == self.word:
            signal.raise_signal(signal.SIGINT)
            await asyncio.sleep(timeout_s)
        return Finished(0, __version__.encode(), "")

    async def process(self, argv: tuple[str, ...]) -> Channel:
        raise NotImplementedError

    async def close(self) -> None:
        """Nothing is held."""


@pytest.mark.parametrize(
    ("word", "noted", "said"),
    [
        ("version", False, "stopped before the order was sent; nothing was begun there"),
        ("harness.workflow.receive", True, "stopped; look with 'harness status measure-test-000001'"),
    ],
)
def test_status_is_offered_once_it_knows_the_run(
    tmp_path: Path, word: str, noted: bool, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    order = BenchYard(tmp_path).order()
    order = order.model_copy(update={"target": order.target.model_copy(update={"host": OtherHost(ssh="gpu1")})})
    with pytest.raises(typer.Exit) as ended:
        detach_run(Place(tmp_path), order, Terms(), Stopping(word).open, as_json=False)
    assert ended.value.exit_code == 130 and capsys.readouterr().err.splitlines()[-1] == said
    assert (tmp_path / ".committee" / "runs" / order.run / "far.json").exists() is noted
