"""Prefill pieces, KV pool and memory of a card: does a context fit, and what does a budget of batched tokens cost?

A token's keys and values take, on each card, 2-sided storage of attention layers x ceil(KV heads / cards) x (key
length + value length) x bytes a value; layers that keep a recurrent state keep none (lessons M7b, S6, S8).
"""

import math
from typing import Self

from pydantic import Field, model_validator

from harness.analyses.answer import Answer, Chart, Fact, Line, NoNumber, Result
from harness.analyses.limits import MOST_LAYERS, MOST_NUMBERS, Cards, Layers, Numbers, PoolTokens, Tokens, Users
from harness.rules.model_header import ModelHeader
from harness.vocabulary.base import Value

GIB = 1 << 30


class KeysAndValues(Value):
    """What of a model decides the size of its cache; read it from the model file's header, not from its name."""

    attention_layers: Layers = Field(description="layers that keep keys and values")
    kv_heads: Numbers = Field(description="heads of keys and values")
    key_length: Numbers = Field(description="numbers in one key")
    value_length: Numbers = Field(description="numbers in one value")
    bytes_per_value: float = Field(
        default=2.0, ge=0.01, le=16, description="2 for 16 bits; less where the cache is quantised"
    )


class Card(Value):
    """One card's memory."""

    memory_gib: float = Field(ge=1e-3, le=1e6, description="memory of the card, GiB, as the engine's start reports it")
    utilisation: float = Field(gt=0, le=1, description="share that the engine may take")
    weights_gib: float | None = Field(
        default=None,
        ge=1e-6,
        le=1e6,
        description="weights on one card, GiB; without it the model file's bytes over the cards",
    )


class Pool(Value):
    """A KV pool that an engine reported."""

    batched_tokens: Tokens = Field(description="budget of batched tokens in force")
    tokens: PoolTokens = Field(description="tokens of the KV pool")


class Memory(Value):
    """A context, its users, and what is known of model, cards and earlier starts."""

    context_tokens: Tokens = Field(description="longest prompt and answer of one user")
    users: Users = Field(description="users at the same time")
    cards: Cards = Field(default=1, description="tensor-parallel size")
    budgets: tuple[Tokens, ...] = Field(
        min_length=1, max_length=100, description="budgets of batched tokens to look at"
    )
    kv: KeysAndValues | None = Field(default=None, description="the model's keys and values; or model instead")
    model: str | None = Field(
        default=None,
        min_length=1,
        description="GGUF file, safetensors file or its folder, beside this file or absolute",
    )
    cache_bytes_per_value: float = Field(
        default=2.0, ge=0.01, le=16, description="with model: 2 for 16 bits, 1 for q8_0"
    )
    card: Card | None = Field(default=None, description="one card")
    pools: tuple[Pool, ...] = Field(default=(), description="pools of earlier starts with all else equal")

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if self.kv is not None and self.model is not None:
            raise ValueError("give kv or model, not both: the model's header says what kv would")
        if len({pool.batched_tokens for pool in self.pools}) < len(self.pools):
            raise ValueError("one budget has two pools; give its last")
        return self


def kv_bytes_per_token(kv: KeysAndValues, cards: int) -> float:
    """Bytes of one token's keys and values on each card."""
    heads = math.ceil(kv.kv_heads / cards)
    return kv.attention_layers * heads * (kv.key_length + kv.value_length) * kv.bytes_per_value


def pieces(prompt_tokens: int, budget: int) -> int:
    """Pieces a prompt's prefill is cut into."""
    return math.ceil(prompt_tokens / budget)


def workspace_bytes_per_token(first: Pool, second: Pool, kv_bytes: float) -> float:
    """What one more batched token costs a card, from two starts: the KV tokens that it pushed out."""
    pushed_out = (first.tokens - second.tokens) * kv_bytes
    return pushed_out / (second.batched_tokens - first.batched_tokens)


def of_header(header: ModelHeader, bytes_per_value: float) -> KeysAndValues | NoNumber:
    """What the cache keeps of each token, as the model's own files say."""
    if header.fault:
        return NoNumber(f"{header.name}: {header.fault}")
    if header.compressed:
        return NoNumber(f"{header.name} keeps compressed keys and values, whose bytes this formula does not give")
    said = (header.kept_blocks, header.kv_heads, header.key_length, header.value_length)
    layers, heads, key, value = said
    if not layers or not heads or not key or not value:
        return NoNumber(f"{header.name} does not say its blocks, heads and lengths of keys and values; give them as kv")
    if not (0 < layers <= MOST_LAYERS and all(0 < one <= MOST_NUMBERS for one in (heads, key, value))):
        return NoNumber(
            f"{header.name} says {layers:,} layers, {heads:,} KV heads, keys of {key:,} and values of {value:,}: no "
            "model has such sizes, so its header is damaged; fetch it again"
        )
    return KeysAndValues(
        attention_layers=layers, kv_heads=heads, key_length=key, value_length=value, bytes_per_value=bytes_per_value
    )


def analyse(asked: Memory, header: ModelHeader | None = None) -> Result:
    """Pieces by budget, KV tokens needed, bytes a token, and whether they fit where that can be known."""
    if header is None:
        return _answer(asked, (), ())
    kv = of_header(header, asked.cache_bytes_per_value)
    if isinstance(kv, NoNumber):
        return kv
    card = asked.card
    if card is not None and card.weights_gib is None and header.weight_bytes:
        card = card.model_copy(update={"weights_gib": header.weight_bytes / asked.cards / GIB})
    cautions = list(header.doubts)
    if header.context_length and asked.context_tokens > header.context_length:
        cautions.append(
            f"a context of {asked.context_tokens:,} is asked for and {header.name} was trained for "
            f"{header.context_length:,}"
        )
    return _answer(asked.model_copy(update={"kv": kv, "card": card}), _facts(header, kv), tuple(cautions))


def _facts(header: ModelHeader, kv: KeysAndValues) -> tuple[Fact, ...]:
    """The header's own figures, those that it says."""
    said = (
        ("blocks of the model", header.blocks, "blocks"),
        ("blocks that keep keys and values", kv.attention_layers, "blocks"),
        ("recurrent blocks by their tensors", header.recurrent_blocks, "blocks"),
        ("heads", header.heads, "heads"),
        ("KV heads", kv.kv_heads, "heads"),
        ("key length", kv.key_length, "numbers"),
        ("value length", kv.value_length, "numbers"),
        ("context the model was trained for", header.context_length, "tokens"),
        ("tensors", header.tensors, "tensors"),
    )
    facts = [Fact(name, value, unit, 8) for name, value, unit in said if value is not None]
    if header.weight_bytes:
        facts.append(Fact("weights, all files", header.weight_bytes / GIB, "GiB"))
    return tuple(facts)


def _answer(asked: Memory, known: tuple[Fact, ...], doubts: tuple[str, ...]) -> Answer:
    needed = asked.users * asked.context_tokens
    facts = [*known, Fact("KV tokens needed", needed, "tokens", 8)]
    facts += [
        Fact(f"pieces of a full context, budget {budget:,}", pieces(asked.context_tokens, budget), "pieces")
        for budget in asked.budgets
    ]
    cautions = [*doubts, *_pools(asked, needed)]
    if asked.kv is None:
        return Answer(tuple(facts), (*cautions, "without the model's keys and values nothing is said in bytes"))
    per_token = kv_bytes_per_token(asked.kv, asked.cards)
    facts += [
        Fact("KV bytes a token and card", per_token, "bytes", 8),
        Fact("KV memory needed a card", needed * per_token / GIB, "GiB", 3),
    ]
    if asked.kv.kv_heads % asked.cards:
        cautions.append(f"{asked.kv.kv_heads} KV heads do not divide over {asked.cards} cards: a head is kept whole")
    cautions += _too_large(asked, per_token)
    workspace = _workspace(asked, per_token)
    if isinstance(workspace, NoNumber):
        return Answer(tuple(facts), (*cautions, workspace.sentence))
    facts.append(Fact("workspace a batched token and card", workspace, "bytes", 3))
    more, said = _fits(asked, per_token, workspace, needed)
    return Answer((*facts, *more), (*cautions, *said), _chart(asked, per_token, workspace))


def _pools(asked: Memory, needed: int) -> list[str]:
    """Whether each pool that an engine reported holds what is needed."""
    return [
        f"a start with budget {pool.batched_tokens:,} had room for {pool.tokens:,} tokens: "
        + ("enough" if pool.tokens >= needed else f"{needed - pool.tokens:,} too few")
        for pool in asked.pools
    ]


def _room_bytes(card: Card | None) -> float | None:
    """What a card has left beside its weights, bytes; none where one of the two is not known."""
    if card is None or card.weights_gib is None:
        return None
    return (card.memory_gib * card.utilisation - card.weights_gib) * GIB


def _too_large(asked: Memory, per_token: float) -> list[str]:
    """Pools that no card could hold at these bytes a token: then the bytes are wrong, not the log."""
    room = _room_bytes(asked.card)
    if room is None:
        return []
    if room <= 0:
        return ["the weights alone are more than the engine may take of a card: it does not start, whatever the budget"]
    return [
        f"a pool of {pool.tokens:,} tokens would take {pool.tokens * per_token / GIB:.3g} GiB a card where "
        f"{room / GIB:.3g} GiB are free: the cache holds fewer bytes a token than these keys and values say"
        for pool in asked.pools
        if pool.tokens * per_token > room
    ]


def _workspace(asked: Memory, per_token: float) -> float | NoNumber:
    if len(asked.pools) < 2:
        return NoNumber(
            "whether a budget fits cannot be computed: give the KV pools of two starts that differ in the budget of "
            "batched tokens alone, which shows what one batched token costs"
        )
    ordered = sorted(asked.pools, key=lambda pool: pool.batched_tokens)
    found = workspace_bytes_per_token(ordered[0], ordered[-1], per_token)
    if found <= 0:
        return NoNumber(
            "the larger budget left the larger KV pool, so something else differed between the two starts; compare "
            "starts that differ in the budget alone"
        )
    return found


def _fits(asked: Memory, per_token: float, workspace: float, needed: int) -> tuple[list[Fact], list[str]]:
    """The pool each budget leaves: from the nearest start, or from the card's memory where that is given."""
    facts, cautions = [], []
    for budget in asked.budgets:
        pool = _pool(asked, budget, per_token, workspace)
        name = f"budget {budget:,}"
        if pool <= 0:
            cautions.append(f"{name}: no memory is left for cache blocks; the engine will not start")
            continue
        facts.append(Fact(f"KV pool, {name}", pool, "tokens", 3))
        if pool < needed:
            cautions.append(f"{name}: {needed - pool:,.0f} tokens too few for {asked.users} full contexts")
    if _room_bytes(asked.card) is None:
        cautions.append("pools are foretold from the starts given, with all else as it was then")
    return facts, cautions


def _pool(asked: Memory, budget: int, per_token: float, workspace: float) -> float:
    free = _room_bytes(asked.card)
    if free is not None:
        return (free - workspace * budget) / per_token
    nearest = min(asked.pools, key=lambda pool: abs(pool.batched_tokens - budget))
    return nearest.tokens + workspace * (nearest.batched_tokens - budget) / per_token


def _chart(asked: Memory, per_token: float, workspace: float) -> Chart:
    budgets = tuple(float(budget) for budget in sorted(asked.budgets))
    pools = tuple(max(0.0, _pool(asked, int(budget), per_token, workspace)) for budget in budgets)
    needed = float(asked.users * asked.context_tokens)
    lines = (Line("KV pool", budgets, pools), Line("needed", budgets, tuple(needed for _ in budgets)))
    return Chart("KV pool over the budget of batched tokens", "batched tokens", "tokens", lines)
