"""Tickets, deployments, later looks, going back and kernels have their place on the site."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from committee.report.history import read_history
from committee.report.site.pages import pages
from committee.vocabulary.language import Language
from ledger.entries import Acceptance, Invalidation, Rollback, Watch
from ledger.store import Ledger
from tests.committee.report.followed import OTHER, append_followed
from tests.committee.report.reading import words
from tests.committee.report.sample import append_sample


@pytest.fixture
def followed(tmp_path: Path) -> Iterator[Ledger]:
    """A history with what follows an acceptance."""
    with Ledger.open(tmp_path / "records.db", actor="test", create=True) as opened:
        append_sample(opened)
        append_followed(opened)
        yield opened


def target_page(ledger: Ledger, target: str = OTHER) -> str:
    """The words of a target's page."""
    found = [page for page in pages(read_history(ledger), Language.EN) if (page.kind, page.name) == ("target", target)]
    return words(found[0].text())


def test_a_target_shows_tickets_deployments_looks_and_that_it_went_back(found: Mapping[str, str]) -> None:
    page = found[f"target-{OTHER}.html"]
    text = words(page)
    assert "ticket ffffffff" in text and "f" * 20 not in text and "e" * 20 not in text
    assert "arm" in text and "attested eeeeeeeeeeee" in text
    assert "driver no card" in text and "committee ticket other-server" in text
    assert text.index("to be put on other-server: begun") < text.index("to be put on other-server: deployed")
    assert "it failed" in text and "begun and not ended" in text
    assert "overturned what was accepted" in text and "total_tok_s at 4 users is SLOWER now" in text
    assert page.count('class="claimed"') == 1 and page.count('class="bar"') == 1
    assert "other-server goes back from parallel-4 to the baseline that a person wrote" in text
    assert "gone back from on" in text and "Nothing accepted is in force" in text, (
        "what was gone back from makes no production"
    )
    assert "looked again at parallel-4 on other-server: overturned" in words(found["index.html"])


def test_a_mark_that_fell_says_so_and_what_was_gone_back_to_is_in_force_again(followed: Ledger) -> None:
    assert "its own evidence fell" not in target_page(followed)
    ((_, look),) = followed.of(Watch)
    followed.append(Invalidation(subject=look.verdict, fact=None, reason="a busy machine", person="Ada"))
    text = target_page(followed)
    assert "its own evidence fell, and its mark with it" in text and "overturned what was accepted" not in text
    ((first, accepted),) = followed.of(Acceptance, target=OTHER)
    again = followed.append(accepted.model_copy(update={"arm_name": "parallel-8"}))
    history = read_history(followed)
    assert [item.id for item in history.baseline_of(OTHER)] == [again.id], "it was accepted on the person's own file"
    back = Rollback(target=OTHER, leaves=again.id, back_to=first.id, reason="r", person="Ada")
    followed.append(back)
    history = read_history(followed)
    assert [item.id for item in history.baseline_of(OTHER)] == [first.id]
    assert history.gone_back_from(first.id) is None and history.superseded_by(first.id) is None
    assert history.gone_back_from(again.id) is not None


def test_a_kernel_task_has_a_page_with_every_verdict(found: Mapping[str, str]) -> None:
    page = found[next(name for name in found if name.startswith("kernel-"))]
    text = words(page)
    assert (
        "Every verdict of the kernel bench on saxpy_c" in text and "a faster kernel is not yet a faster server" in text
    )
    assert "vectors against plain large cold 12.5 +40.0 %" in text and "FASTER" in text
    assert "INVALID wrong_result: it is all zeros" in text and page.count('class="bar"') == 1
    assert "saxpy_c" in words(found["index.html"])
