"""Generated text is text, the same for a prompt, and counted as its tokenizer does; the prefix cache."""

from itertools import islice

from harness.gates.coherent import degenerate
from harness.gates.quality import likeness
from harness.simulator.prefix_cache import PrefixCache
from harness.simulator.words import count, generated, pieces, reworded, token_ids


def said(prompt: str, tokens: int, variant: str = "") -> str:
    return "".join(islice(generated(prompt, variant), tokens))


def test_the_same_prompt_gives_the_same_text_and_another_another() -> None:
    assert said("a", 100) == said("a", 100) != said("b", 100)


def test_a_variant_leaves_after_four_tokens() -> None:
    plain, changed = said("a", 50).split(), said("a", 50, "changed").split()
    assert plain[:4] == changed[:4] and plain != changed


def test_another_quantisation_writes_another_word_in_ten() -> None:
    plain = said("a", 100).split()
    other = "".join(islice(reworded(generated("a"), "IQ4_XS"), 100)).split()
    assert [index for index in range(100) if plain[index] != other[index] and index % 10 != 9] == []
    assert plain != other and likeness(" ".join(other), " ".join(plain)) >= 0.85
    assert "".join(islice(reworded(generated("a"), ""), 100)).split() == plain


def test_text_is_coherent_and_one_word_a_token() -> None:
    for number in range(50):
        text = said(f"prompt {number}", 100)
        assert count(text) == 100 and degenerate(text) is None


def test_tokens_of_several_scripts() -> None:
    assert pieces("Ask 3 users, 你好!") == ["Ask", "3", "users", ",", "你", "好", "!"]
    assert len(token_ids("one two")) == 2 and token_ids("a") != token_ids("b")


def test_the_cache_knows_whole_blocks_of_what_it_saw_from_the_beginning() -> None:
    cache, ids = PrefixCache(), list(range(100))
    assert cache.hits(ids) == 0
    cache.keep(ids)
    assert cache.hits(ids) == 96 and cache.hits([*ids[:50], 7]) == 48 and cache.hits([7, *ids]) == 0
    assert cache.hits(ids[:16]) == 0 and cache.hits(ids[:17]) == 16 and cache.hits([]) == 0  # the last is computed


def test_a_nested_prompt_is_warm_up_to_the_shorter_one() -> None:
    cache = PrefixCache()
    cache.keep(list(range(74_112)))
    assert cache.hits(list(range(105_856))) == 74_112
