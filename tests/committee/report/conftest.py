"""The made-up history, written once a session, read by every test of the report."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from committee.report import build
from committee.report.history import History, read_history
from committee.report.page import render
from committee.report.runs import RunView, run_views
from committee.report.site import write_site
from committee.score.reviewer_pages import reviewer_contents
from committee.vocabulary.language import Language
from ledger.entries import Invalidation
from ledger.store import Ledger
from tests.committee.report.followed import append_followed, append_kernels
from tests.committee.report.sample import append_past, append_sample, state


@pytest.fixture(scope="session")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ledger]:
    """A ledger with the whole made-up history."""
    path: Path = tmp_path_factory.mktemp("report") / "records.db"
    with Ledger.open(path, actor="test", create=True) as opened:
        append_sample(opened)
        yield opened


@pytest.fixture(scope="session")
def history(ledger: Ledger) -> History:
    """That ledger, read."""
    return read_history(ledger)


@pytest.fixture(scope="session")
def views(history: History) -> tuple[RunView, ...]:
    """Its measuring runs: knobs, busy (void), early, later."""
    return run_views(history)


@pytest.fixture(scope="session")
def page(history: History) -> str:
    """Its page."""
    return render(history)


@pytest.fixture(scope="session")
def struck(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ledger]:
    """The same history with a past that was brought in, a launch that must not be believed and a lost production."""
    path = tmp_path_factory.mktemp("struck") / "records.db"
    with Ledger.open(path, actor="test", create=True) as opened:
        append_sample(opened)
        append_past(opened)
        launch = list(opened.entries("launch"))[-1]
        opened.append(Invalidation(subject=launch.id, fact=None, reason="the card was throttled", person="Ada"))
        opened.append(state("measure-20260804-knobs", "taken_down", "SIGTERM sent"))
        append_followed(opened)
        append_kernels(opened)
        yield opened


@pytest.fixture(scope="session")
def site(struck: Ledger, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of its site."""
    folder = tmp_path_factory.mktemp("written") / "site"
    write_site(struck, folder, more=reviewer_contents)
    return folder


@pytest.fixture(scope="session")
def found(site: Path) -> Mapping[str, str]:
    """Its pages by file."""
    return {file.name: file.read_text(encoding="utf-8") for file in sorted(site.glob("*.html"))}


@pytest.fixture(scope="session")
def chinese(struck: Ledger, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """The same pages in Chinese, and the one page."""
    folder = tmp_path_factory.mktemp("chinese") / "site"
    write_site(struck, folder, Language.ZH_TW, more=reviewer_contents)
    pages = {file.name: file.read_text(encoding="utf-8") for file in sorted(folder.glob("*.html"))}
    return {**pages, "report.html": build(struck, language=Language.ZH_TW)}


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Ledger]:
    """A ledger to fill in the test."""
    with Ledger.open(tmp_path / "records.db", actor="test", create=True) as opened:
        yield opened
