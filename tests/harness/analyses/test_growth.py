"""Growth of waits, held against a real campaign's long documents (lessons M7, M7b, M8)."""

import pytest

from harness.analyses.answer import Answer, NoNumber
from harness.analyses.growth import Growth, Wait, analyse, exponent


def wait(tokens: int, seconds: float, cache: str = "warm", **more: int) -> dict[str, object]:
    return {"tokens": tokens, "seconds": seconds, "cache": cache, **more}


def answered(*waits: dict[str, object], **asked: object) -> Answer:
    answer = analyse(Growth.model_validate({"waits": waits, **asked}))
    assert isinstance(answer, Answer)
    return answer


def test_the_warm_exponent_lies_just_under_two() -> None:
    answer = answered(wait(24704, 1.82), wait(105856, 31.0))
    assert round(answer.value("exponent 24,704 to 105,856 tokens, warm"), 2) == 1.95


def test_a_wait_beyond_the_longest_length_follows_the_last_pair() -> None:
    before = round(31.0 / (105856 / 84000) ** 2.53, 4)
    answer = answered(wait(84000, before), wait(105856, 31.0), foretell_tokens=131072)
    assert round(answer.value("wait at 131,072 tokens by the last pair, warm")) == 53


def test_a_wider_budget_saved_a_quarter_of_the_cold_wait() -> None:
    cold = [wait(105856, 412.42, "cold", batched_tokens=16384), wait(105856, 304.04, "cold", batched_tokens=65536)]
    answer = answered(*cold)
    assert round(answer.value("wait at 105,856 tokens, cold, budget 16,384 to 65,536"), 1) == -26.3


def test_eight_users_on_one_document_cost_eight_times_one() -> None:
    answer = answered(wait(105856, 31.08), wait(105856, 247.73, users=8))
    assert round(answer.value("8 users against one at 105,856 tokens, warm"), 2) == 7.97


def test_an_exponent_that_rises_is_no_power_law_and_gets_no_interval() -> None:
    waits = [wait(20000, 1.0)]
    for tokens, power in ((40000, 1.72), (80000, 1.87), (120000, 2.53)):
        last = waits[-1]
        waits.append(wait(tokens, float(str(last["seconds"])) * (tokens / int(str(last["tokens"]))) ** power))
    answer = answered(*waits)
    assert any("rises with length" in said for said in answer.cautions)
    assert not any("at least" in fact.name for fact in answer.facts)


@pytest.mark.parametrize(("power", "words"), [(2.0, "square growth is"), (1.0, "linear growth is"), (1.5, "neither")])
def test_linear_and_square_are_tested_and_not_assumed(power: float, words: str) -> None:
    waits = [
        wait(tokens, (tokens / 1000) ** power * noise)
        for tokens in (10000, 20000, 40000, 80000)
        for noise in (0.995, 1.0, 1.005)
    ]
    assert any(words in said for said in answered(*waits).cautions)


def test_cold_and_warm_are_never_mixed() -> None:
    answer = analyse(Growth(waits=(Wait(tokens=10, seconds=1, cache="cold"), Wait(tokens=20, seconds=2, cache="warm"))))
    assert isinstance(answer, NoNumber)


def test_prompts_cut_at_some_lengths_only_are_said() -> None:
    waits = [wait(64000, 56.6, "cold", batched_tokens=65536), wait(128000, 500.2, "cold", batched_tokens=65536)]
    assert any("cut into pieces at some lengths" in said for said in answered(*waits).cautions)


def test_the_envelope_stays_inside_what_was_measured() -> None:
    waits = [wait(10000, 5.0, "cold"), wait(40000, 40.0, "cold")]
    answer = answered(*waits, bearable_s=80.0, for_users=(1, 4))
    tokens = answer.value("longest document, 4 users, cold")
    assert tokens == pytest.approx(10000 * 4 ** (1 / exponent((10000, 5.0), (40000, 40.0))))
    assert answer.value("KV tokens needed, 4 users, cold") == pytest.approx(4 * tokens)
    assert any("1 user, cold: the measured lengths do not reach" in said for said in answer.cautions)


def test_a_stated_exponent_foretells_from_one_length() -> None:
    answer = answered(wait(105856, 31.0), wait(105856, 60.0, users=2), foretell_tokens=131072, foretell_exponent=2.53)
    assert round(answer.value("wait at 131,072 tokens by the stated exponent 2.53, warm")) == 53


def test_an_exponent_that_leads_nowhere_foretells_nothing() -> None:
    answer = answered(wait(1000, 1e-4), wait(1001, 604_800), foretell_tokens=200000)
    assert any("says nothing that could be waited for at 200,000" in one for one in answer.cautions)
    assert not any("wait at" in fact.name for fact in answer.facts)


def test_the_envelope_of_eight_users_who_were_measured_is_taken_as_it_was() -> None:
    """The page: eight documents of 21.6K take 55 s, of 64K 347 s; 20 to 25K are called bearable."""
    waits = (wait(21600, 55.0, "cold", users=8), wait(64000, 347.0, "cold", users=8))
    answer = answered(*waits, bearable_s=60.0, for_users=(8,))
    assert 20_000 < answer.value("longest document, 8 users, cold") < 25_000
    assert not any("lets prefills queue" in one for one in answer.cautions)


def test_a_bearable_wait_that_two_lengths_share_gives_the_longer_one() -> None:
    answer = answered(wait(1000, 5.0), wait(2000, 5.0), bearable_s=5.0, for_users=(1,))
    assert answer.value("longest document, 1 user, warm") == 2000


def test_repeats_that_agree_to_the_last_digit_give_no_interval() -> None:
    answer = answered(wait(1000, 1.0), wait(1000, 1.0), wait(2000, 4.1))
    assert not any("at least" in fact.name for fact in answer.facts)
    assert any("none differs in its last digit" in said for said in answer.cautions)
    assert answer.value("wait, 1,000 to 2,000 tokens, warm") == pytest.approx(4.1)
    assert answer.value("wait if it were square, 1,000 to 2,000 tokens, warm") == 4


def test_a_length_below_what_was_measured_is_not_foretold() -> None:
    answer = answered(wait(1000, 1.0), wait(2000, 4.1), foretell_tokens=131)
    assert any("131 tokens are fewer than the 2,000" in said for said in answer.cautions)
    assert not any("wait at 131" in fact.name for fact in answer.facts)
