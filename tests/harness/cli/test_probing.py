"""`harness probe` by command line, against a server of a thread of its own and against production."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from harness.lease import Lease
from harness.workflow.order import read_target
from harness.workflow.production import state_dir
from tests.committee.cli.yard import make, production, typed, value
from tests.harness.small_server import Behaviour, serving


@pytest.fixture
def ws(tmp_path: Path) -> Path:
    """A workspace with the small target."""
    return make(tmp_path / "ws")


@contextmanager
def server(behaviour: Behaviour) -> Iterator[str]:
    """The small server beside this thread; its address."""
    ready, loop, done = threading.Event(), asyncio.new_event_loop(), asyncio.Event()
    urls: list[str] = []

    async def serve() -> None:
        async with serving(behaviour) as url:
            urls.append(url)
            ready.set()
            await done.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()))
    thread.start()
    try:
        assert ready.wait(30)
        yield urls[0]
    finally:
        loop.call_soon_threadsafe(done.set)
        thread.join(30)
        loop.close()


def test_the_first_kilobyte_and_the_fields(ws: Path) -> None:
    with server(Behaviour()) as url:
        said = typed(ws, "harness", "probe", url, "--raw", "--api", "completions")
        told = value(typed(ws, "harness", "probe", url, "--api", "completions", "--json"))
    assert said.code == 0, said
    assert 'b\'data: {"choices"' in said.out and "text: 32 with text, 1 EMPTY" in said.out
    assert "usage: prompt_tokens 5, completion_tokens 32" in said.out and "[DONE]" in said.out
    assert told["text_fields"] == ["text"] and told["status"] == 200


def test_an_answer_without_text_is_a_negative_answer(ws: Path) -> None:
    with server(Behaviour(mode="status-500")) as url:
        said = typed(ws, "harness", "probe", url, "--api", "completions")
    assert said.code == 1 and "status 500" in said.out and "no field carried text" in said.out


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("small",), 2, "production of 'small' does not run"),
        (("elsewhere",), 2, "runs on 'gpu1'; probe it there"),
        (("nobody",), 2, "no target 'nobody'"),
        (("http://127.0.0.1:9",), 1, "cannot be asked"),
        (("small", "--key-env", "NO_SUCH_VARIABLE_HERE"), 2, "there is no variable 'NO_SUCH_VARIABLE_HERE'"),
        (("measured",), 2, "is in the hands of run 'measure-other-000001'"),
    ],
)
def test_what_is_not_asked(ws: Path, words: tuple[str, ...], code: int, said: str) -> None:
    text = (ws / "targets" / "small.toml").read_text()
    for name, more in (("elsewhere", '[host]\nssh = "gpu1"\n'), ("measured", "")):
        (ws / "targets" / f"{name}.toml").write_text(text.replace('name = "small"', f'name = "{name}"') + more)
    target, _ = read_target(ws / "targets" / "measured.toml")
    lease = Lease.take(state_dir(ws, target), "measure-other-000001")
    assert isinstance(lease, Lease)
    with lease:
        outcome = typed(ws, "harness", "probe", *words)
    assert outcome.code == code and said in outcome.err and len(outcome.err.splitlines()) == 1


def test_production_is_asked_where_its_log_says(ws: Path) -> None:
    with production(ws):
        said = typed(ws, "harness", "probe", "small")
    assert said.code == 0 and "model 'production'" in said.out and "text: 32 with text" in said.out
