"""Text of the simulated model, one word a token, and its tokenizer. The same prompt gives the same text. Pure."""

import hashlib
import re
from collections.abc import Iterator

_PIECES = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W_\u3040-\u30ff\u3400-\u9fff]+|[^\w\s]|_")
_TEXT = """
harbour morning under quiet stone bridge children counted lanterns along narrow streets while merchants
argued about winter prices nobody remembered who first drew that map although every captain carried copies beside folded
letters from distant islands rain arrived early then stopped before noon so people opened windows hung cloth across
courtyards fed horses repaired clocks polished brass handles listened when bells rang twice near evening market someone
always told stories concerning older towers built against storms their keepers climbed slowly holding oil bread warm
coats sometimes music drifted upward through broken shutters where swallows nested between painted beams gardeners
planted pears beneath southern walls knowing frost would follow later scholars measured shadows writing careful numbers
inside ledgers bound with red thread sailors mended nets waiting patiently until tides returned after long silence fires
burned low but stayed bright enough for reading another chapter aloud teachers smiled because lessons ended happily and
travellers promised they would return next summer bringing seeds paper honey copper tea salt wool glass amber"""
WORDS = tuple(dict.fromkeys(_TEXT.split()))
TEMPLATE_TOKENS = 8  # what the chat template adds to a conversation
IMAGE_TOKENS, LARGE_IMAGE_TOKENS = 81, 1103  # of a 96 x 96 picture without and with --image-min-tokens 1024


def pieces(text: str) -> list[str]:
    """The tokens of a text: words, single Chinese or Japanese characters, single marks."""
    return _PIECES.findall(text)


def count(text: str) -> int:
    """How many tokens a text has."""
    return len(pieces(text))


def token_ids(text: str) -> list[int]:
    """A number for each token."""
    return [int.from_bytes(hashlib.blake2s(piece.encode(), digest_size=4).digest(), "big") for piece in pieces(text)]


def reworded(tokens: Iterator[str], wording: str) -> Iterator[str]:
    """The same text with another word in ten, as another quantisation of the same weights writes it; none: as it is."""
    others = generated(wording)
    for index, token in enumerate(tokens):
        yield next(others) if wording and index % 10 == 9 and token.strip() else token


def generated(prompt: str, variant: str = "") -> Iterator[str]:
    """The text after a prompt, token by token, without end. Another `variant` goes another way after four tokens."""
    state = int.from_bytes(hashlib.blake2s(prompt.encode()).digest()[:8], "big")
    other = int.from_bytes(hashlib.blake2s((prompt + variant).encode()).digest()[:8], "big")
    index = 0
    while True:
        state = (other if index == 4 and variant else state) * 6364136223846793005 + 1442695040888963407 & (2**64 - 1)
        yield " " + WORDS[(state >> 33) % len(WORDS)]
        index += 1
