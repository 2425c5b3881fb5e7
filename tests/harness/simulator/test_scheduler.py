"""The scheduler: batches, cut prompts, seats, priorities, cancelling, time limits; and lateness changes nothing."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.simulator.pace import Drafting, Pace
from harness.simulator.scheduler import Emission, Job, Limits, Scheduler

PACE = Pace(user_tok_s=((1, 10.0), (2, 10.0)), cold_s=((1000, 1.0), (2000, 2.0)), overhead_s=0.1)


def driven(engine: Scheduler, until: float = 1e9) -> list[Emission]:
    """Everything that is said until then, each thing at its time."""
    said: list[Emission] = []
    while (at := engine.next_at()) is not None and at <= until:
        said += engine.advance(at)
    return said


def submitted(limits: Limits, jobs: Sequence[Job], pace: Pace = PACE) -> Scheduler:
    engine = Scheduler(pace, limits)
    for job in jobs:
        engine.submit(job, 0.0)
    return engine


def ends(said: Sequence[Emission]) -> dict[int, float]:
    return {one.number: round(one.at, 6) for one in said if one.done}


def test_short_prompts_are_read_in_one_step_and_stream_together() -> None:
    said = driven(submitted(Limits(), [Job(1, 100, 3), Job(2, 100, 2)]))
    assert [(one.number, round(one.at, 6)) for one in said] == [(1, 0.2), (2, 0.2), (1, 0.3), (2, 0.3), (1, 0.4)]


def test_a_prompt_over_the_budget_is_read_alone_piece_by_piece() -> None:
    said = driven(submitted(Limits(budget_tokens=1000), [Job(1, 2000, 1), Job(2, 100, 1)]))
    cut = PACE.cold_prefill_s(2000, 1000)
    assert ends(said) == {1: round(cut, 6), 2: round(cut + 0.1, 6)} and cut > 2.0


def test_prompts_that_do_not_fit_into_one_step_wait_for_the_next() -> None:
    said = driven(submitted(Limits(budget_tokens=1500), [Job(1, 1000, 1), Job(2, 1000, 1)]))
    assert ends(said) == {1: 1.0, 2: 2.0}


def test_no_more_requests_run_than_there_are_seats() -> None:
    said = driven(submitted(Limits(max_seqs=1), [Job(1, 100, 2), Job(2, 100, 2)]))
    assert ends(said) == {1: 0.2, 2: 0.4}


def test_no_more_requests_run_than_the_cache_holds() -> None:
    said = driven(submitted(Limits(kv_tokens=150), [Job(1, 100, 2), Job(2, 100, 2)]))
    assert ends(said) == {1: 0.2, 2: 0.4}


@pytest.mark.parametrize(("works", "first"), [(False, 1), (True, 2)])
def test_priority_moves_a_request_only_where_priorities_work(works: bool, first: int) -> None:
    jobs = [Job(1, 1000, 1), Job(2, 100, 1, priority=-1)]
    done = ends(driven(submitted(Limits(max_seqs=1, priorities_work=works), jobs)))
    assert min(done, key=lambda number: done[number]) == first


def test_an_interactive_request_waits_for_the_document_before_it() -> None:
    engine = submitted(Limits(), [Job(1, 2000, 1)])
    engine.advance(0.0)
    engine.submit(Job(2, 100, 1), 0.5)
    assert ends(driven(engine)) == {1: 2.0, 2: 2.1}


def test_an_idle_engine_gathers() -> None:
    engine = submitted(Limits(gather_s=0.05), [Job(1, 100, 1)])
    engine.submit(Job(2, 100, 1), 0.03)
    assert ends(driven(engine)) == {1: 0.25, 2: 0.25}


def test_a_step_over_the_time_limit_ends_the_engine() -> None:
    engine = submitted(Limits(execution_timeout_s=1.5), [Job(1, 2000, 1)])
    assert driven(engine) == [] and engine.dead_at == 1.5 and engine.next_at() is None


def test_a_cancelled_request_leaves_its_seat() -> None:
    engine = submitted(Limits(max_seqs=1), [Job(1, 100, 50), Job(2, 100, 1)])
    engine.advance(0.35)
    engine.cancel(1)
    assert ends(driven(engine)) == {2: 0.5}
    engine.submit(Job(3, 100, 1), 1.0)
    engine.advance(1.0)
    engine.cancel(3)  # while its prompt is being read
    assert driven(engine) == [] and engine.next_at() is None


def test_accepted_drafts_come_in_one_event_and_are_counted() -> None:
    engine = submitted(Limits(), [Job(1, 10, 2001)], replace(PACE, drafting=Drafting(1, 0.52, 0.0)))
    said = driven(engine)
    assert sum(one.tokens for one in said) == 2001 and {one.tokens for one in said} == {1, 2}
    assert engine.drafted == engine.decodes
    assert engine.accepted / engine.drafted == pytest.approx(0.52, abs=0.04)


@given(
    jobs=st.lists(st.tuples(st.integers(1, 3000), st.integers(1, 9), st.floats(0, 3)), min_size=1, max_size=6),
    late=st.lists(st.floats(0.01, 2.0), min_size=1, max_size=5),
)
def test_looking_late_changes_nothing(jobs: list[tuple[int, int, float]], late: list[float]) -> None:
    limits = Limits(max_seqs=3, budget_tokens=1000)
    prompt, tardy = submitted(limits, []), submitted(limits, [])
    asked = [(Job(number, tokens, wanted), at) for number, (tokens, wanted, at) in enumerate(jobs)]
    arrivals = sorted(asked, key=lambda item: (item[1], item[0].number))
    expected: list[Emission] = []
    for job, at in arrivals:
        expected += driven(prompt, at)
        prompt.submit(replace(job), at)
    expected += driven(prompt)
    found: list[Emission] = []
    for job, at in arrivals:
        found += tardy.advance(at)
        tardy.submit(replace(job), at)
    now = 0.0
    while (at_next := tardy.next_at()) is not None:
        now = max(now, at_next) + late[len(found) % len(late)]
        found += tardy.advance(now)
    assert found == expected
    assert sum(one.tokens for one in found) == sum(wanted for _, wanted, _ in jobs)
