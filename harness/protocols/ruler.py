"""How many words make so many prompt tokens, by the server's own count; and prompts that keep to their label.

Labels guessed from characters or words were off by 1.13x and 4.65x (lesson M7): a "128K" probe held 26K tokens.
"""

from dataclasses import dataclass

from harness.client.record import RequestRecord
from harness.client.stream import Ask, Client, Door, send
from harness.protocols.base import Asked, ProtocolOutcome, invalid, spoilt
from harness.protocols.prompts import document
from harness.vocabulary.outcome import Reason

SHORT_WORDS, LONG_WORDS = 100, 500  # of the two measuring documents; their difference averages over 400 words
ANSWER_TOKENS = 2
OFF_SHARE, OFF_TOKENS = 0.05, 16  # how far a prompt may be from its label: a share of long ones, so many of short ones
MEASURE_TIMEOUT_S = 600.0


@dataclass(frozen=True)
class Ruler:
    """Prompt tokens = `base` + `per_word` x words."""

    base: float
    per_word: float

    def words(self, tokens: int) -> int:
        """Words that a document of so many prompt tokens has, at least one."""
        return max(1, round((tokens - self.base) / self.per_word))


@dataclass(frozen=True)
class Measured:
    """The ruler, none where the server's count could not be had; and the requests that it took."""

    ruler: Ruler | None
    asked: tuple[Asked, ...]


async def measure_ruler(client: Client, door: Door, seed: int, timeout_s: float) -> Measured:
    """Two documents of known numbers of words, one after the other."""
    asked: list[Asked] = []
    for words in (SHORT_WORDS, LONG_WORDS):
        prompt = document(seed, f"ruler/{words}", words)
        record = await send(client, door, Ask(prompt, ANSWER_TOKENS, min(timeout_s, MEASURE_TIMEOUT_S)))
        asked.append(Asked(f"measuring document of {words} words", record))
        if not record.ok:
            return Measured(None, tuple(asked))
    return Measured(ruler_of(asked[0].record, asked[1].record), tuple(asked))


def ruler_of(short: RequestRecord, long: RequestRecord) -> Ruler | None:
    """The straight line through both counts; none where more words are not more tokens."""
    per_word = (long.prompt_tokens - short.prompt_tokens) / (LONG_WORDS - SHORT_WORDS)
    return Ruler(short.prompt_tokens - per_word * SHORT_WORDS, per_word) if per_word > 0 else None


def off_label(record: RequestRecord, label: int) -> str | None:
    """One sentence where the server counted another length than the label says; none where both agree."""
    counted = record.prompt_tokens
    if abs(counted - label) <= max(OFF_TOKENS, OFF_SHARE * label):
        return None
    return f"the server counted {counted} prompt tokens where {label} were meant"


def rulerless(measured: Measured) -> ProtocolOutcome:
    """The outcome where no length can be told: a request failed, or more words are not more tokens."""
    said = "the server counts no more prompt tokens for 500 words than for 100, so that no length can be told"
    return spoilt(measured.asked) or invalid(Reason.WRONG_LENGTH, said, measured.asked)
