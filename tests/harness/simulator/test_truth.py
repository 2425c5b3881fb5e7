"""The true metrics of loads, held against the seeds' figures."""

import pytest

from harness.simulator.pace import Drafting, Pace
from harness.simulator.scheduler import Limits
from harness.simulator.truth import Arrival, metrics, step, timeline


def test_the_two_totals_of_eight_users() -> None:
    truth = step(Pace(), Limits(), users=8, prompt_tokens=40, tokens=200)
    assert truth.streaming_tok_s == pytest.approx(260.0)
    assert truth.total_tok_s == pytest.approx(154.6, abs=0.5)
    assert truth.user_tok_s == pytest.approx(32.5)


def test_a_single_user() -> None:
    truth = step(Pace(), Limits(), users=1, prompt_tokens=40, tokens=200)
    assert truth.user_tok_s == pytest.approx(68.1) and truth.ttft_ms == pytest.approx(530)


def test_the_time_scale_divides_times_and_multiplies_rates() -> None:
    answers = timeline(Pace(), Limits(), [Arrival(0.0, 40, 200)])
    scaled = metrics(answers, scale=0.01)
    assert scaled.user_tok_s == pytest.approx(6810) and scaled.ttft_ms == pytest.approx(5.3)


def test_eight_users_of_one_warm_document_cost_eight_times_one() -> None:
    warm = 105_856
    one = timeline(Pace(), Limits(), [Arrival(0.0, warm, 1, cached=warm)])
    eight = timeline(Pace(), Limits(budget_tokens=131_072), [Arrival(0.0, warm, 1, cached=warm)] * 8)
    assert max(answer.ttft_s for answer in eight) / one[0].ttft_s == pytest.approx(8.0)
    assert max(answer.ttft_s for answer in eight) == pytest.approx(247.5, rel=0.03)


def test_an_interactive_request_is_done_when_the_documents_are_whatever_its_priority() -> None:
    documents = [Arrival(0.0, 65_536, 1)] * 4
    for priority in (0, -1):
        *held, probe = timeline(Pace(), Limits(), [*documents, Arrival(20.0, 40, 1, priority=priority)])
        end = max(answer.stamps[-1] for answer in held)
        assert probe.stamps[-1] == pytest.approx(end, abs=1.0) and end == pytest.approx(4 * 56.6)
    *held, probe = timeline(Pace(), Limits(priorities_work=True), [*documents, Arrival(20.0, 40, 1, priority=-1)])
    assert probe.stamps[-1] < max(answer.stamps[-1] for answer in held) - 50


def test_an_answer_that_never_came_has_no_stamps() -> None:
    (answer,) = timeline(Pace(), Limits(execution_timeout_s=300), [Arrival(0.0, 131_072, 1)])
    assert answer.stamps != ()
    (dead,) = timeline(Pace(), Limits(execution_timeout_s=300, budget_tokens=65_536), [Arrival(0.0, 131_072, 1)])
    assert dead.stamps == ()


def test_drafting_alone_and_four_together() -> None:
    cheap = Pace(drafting=Drafting(1, 0.52, 0.29))
    one = step(cheap, Limits(), users=1, prompt_tokens=40, tokens=2000).user_tok_s
    assert one / 68.1 == pytest.approx(1.18, abs=0.03)


def test_arrivals_one_after_the_other() -> None:
    first, second = timeline(Pace(), Limits(), [Arrival(0.0, 40, 2), Arrival(100.0, 40, 2)])
    assert [first.ttft_s, second.ttft_s] == pytest.approx([0.53, 0.53])
    assert second.stamps[0] == pytest.approx(100.53) and first.user_tok_s == pytest.approx(68.1)
