"""KV tokens, pieces and memory, held against a real campaign's logs (lessons M7b, S6)."""

import pytest
from pydantic import ValidationError

from harness.analyses.answer import Answer, NoNumber
from harness.analyses.memory import Card, KeysAndValues, Memory, Pool, analyse, kv_bytes_per_token, pieces
from harness.rules.model_header import ModelHeader

KV = KeysAndValues(attention_layers=16, kv_heads=4, key_length=256, value_length=256)


def answered(asked: Memory) -> Answer:
    answer = analyse(asked)
    assert isinstance(answer, Answer)
    return answer


def test_eight_full_contexts_need_a_million_tokens_and_the_reported_pool_holds_them() -> None:
    pool = Pool(batched_tokens=131072, tokens=2_719_744)
    answer = answered(Memory(context_tokens=131072, users=8, budgets=(131072,), pools=(pool,)))
    assert answer.value("KV tokens needed") == 1_048_576
    assert any("enough" in said for said in answer.cautions)


@pytest.mark.parametrize(("tokens", "budget", "cut"), [(65536, 65536, 1), (98304, 65536, 2), (131072, 131072, 1)])
def test_a_prompt_is_cut_when_it_is_longer_than_the_budget(tokens: int, budget: int, cut: int) -> None:
    assert pieces(tokens, budget) == cut


def test_bytes_of_a_token_and_heads_that_do_not_divide() -> None:
    assert kv_bytes_per_token(KV, 4) == 16 * 1 * 512 * 2
    assert kv_bytes_per_token(KV, 3) == 16 * 2 * 512 * 2
    said = answered(Memory(context_tokens=10, users=1, cards=3, budgets=(10,), kv=KV)).cautions
    assert any("do not divide" in one for one in said)


def test_a_pool_that_no_card_could_hold_contradicts_the_bytes_a_token() -> None:
    asked = Memory(
        context_tokens=131072,
        users=8,
        cards=4,
        budgets=(65536,),
        kv=KV,
        card=Card(memory_gib=31.73, utilisation=0.85, weights_gib=3.41),
        pools=(Pool(batched_tokens=65536, tokens=2_747_830),),
    )
    assert any("would take 41.9 GiB" in said for said in answered(asked).cautions)


def test_two_starts_show_what_a_batched_token_costs_and_which_budget_leaves_nothing() -> None:
    pools = (Pool(batched_tokens=16384, tokens=400_000), Pool(batched_tokens=65536, tokens=200_000))
    asked = Memory(context_tokens=32768, users=4, cards=4, budgets=(16384, 65536, 131072), kv=KV, pools=pools)
    answer = answered(asked)
    a_token = 200_000 * 16384 / 49152
    assert answer.value("workspace a batched token and card") == pytest.approx(a_token)
    assert answer.value("KV pool, budget 65,536") == pytest.approx(200_000)
    assert any("budget 131,072: no memory is left" in said for said in answer.cautions)


def test_a_larger_budget_with_the_larger_pool_is_no_number() -> None:
    pools = (Pool(batched_tokens=16384, tokens=200_000), Pool(batched_tokens=65536, tokens=400_000))
    answer = answered(Memory(context_tokens=10, users=1, cards=4, budgets=(16384,), kv=KV, pools=pools))
    assert any("something else differed" in said for said in answer.cautions)
    assert not any("workspace" in fact.name for fact in answer.facts)


def test_budgets_of_nothing_and_two_pools_of_one_budget_are_refused() -> None:
    with pytest.raises(ValidationError, match="0 is outside of 1 to 1e\\+08"):
        Memory(context_tokens=10, users=1, budgets=(0,))
    twice = (Pool(batched_tokens=5, tokens=1), Pool(batched_tokens=5, tokens=2))
    with pytest.raises(ValidationError, match="two pools"):
        Memory(context_tokens=10, users=1, budgets=(5,), pools=twice)


def test_weights_beyond_what_the_engine_may_take_leave_no_pool_to_speak_of() -> None:
    card = Card(memory_gib=31.73, utilisation=0.1, weights_gib=3.41)
    pools = (Pool(batched_tokens=16384, tokens=2_719_744),)
    answer = analyse(Memory(context_tokens=131072, users=8, cards=4, budgets=(16384,), kv=KV, card=card, pools=pools))
    assert isinstance(answer, Answer)
    assert any("the weights alone are more" in said for said in answer.cautions)
    assert not any("GiB are free" in said for said in answer.cautions)


@pytest.mark.parametrize("heads", [-3, 1 << 40])
def test_sizes_that_no_model_has_are_no_number(heads: int) -> None:
    header = ModelHeader("m.gguf", blocks=64, kv_heads=heads, key_length=256, value_length=256)
    answer = analyse(Memory(context_tokens=10, users=1, budgets=(5,)), header)
    assert isinstance(answer, NoNumber) and "its header is damaged" in answer.sentence
