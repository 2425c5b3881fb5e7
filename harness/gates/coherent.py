"""Coherent: enough real tokens, and text that is neither a loop nor next to nothing (lesson M2). Pure.

Both ends are checked because each simple check is blind at the other one: a one-word answer has a perfect share of
distinct words, and `<h2><h2>...` has any length one likes.
"""

import re
import zlib
from collections import Counter

from harness.client.record import RequestRecord
from harness.gates.base import GateOutcome, failed, held
from harness.shortened import shortened
from harness.vocabulary.outcome import GateName, Reason

PROBE_TOKENS = 100  # lesson M2: under 100 generated tokens no rate is printed
# 100 tokens are about 75 English words or 100 to 150 Chinese characters; markup and numbers cost more tokens a word.
MIN_WORDS = 25
SHOWN = 80  # characters of a degenerate text
# Fluent text of 75 words has 45 to 60 distinct ones; a base model that repeats its last sentence at temperature 0
# still has about 20. Loops of markup or of one phrase have 1 to 6.
MIN_DISTINCT_WORDS = 10
MAX_TOP_WORD_SHARE = 0.35  # "the" is at most 10 % of English; one word in three is a loop
# zlib at level 9: fluent text of 400 bytes shrinks to 0.55 to 0.65, a repeated sentence to 0.25, `<h2>`s to 0.04.
MIN_COMPRESSED_SHARE = 0.12
# Letters, digits and spaces: prose 0.95, source code 0.75 and more; broken bytes or pure symbols near 0.
MIN_READABLE_SHARE = 0.5
# A word is a run of letters or digits; a Chinese or Japanese character counts as one, for there are no spaces.
WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W_\u3040-\u30ff\u3400-\u9fff]+")


def check_coherent(record: RequestRecord) -> GateOutcome:
    """The gate on the probe's record, counted by the server's usage; the client held the stream against it."""
    gate = GateName.COHERENT
    if record.reason is not None:
        return failed(gate, record.reason, f"the probe failed: {record.detail}")
    if record.tokens < PROBE_TOKENS:
        return failed(gate, Reason.TOO_FEW_TOKENS, f"{record.tokens} tokens came, at least {PROBE_TOKENS} are needed")
    complaint = degenerate(record.text)
    if complaint:
        return failed(gate, _kind(record.text), f"{complaint}: {shortened(record.text, SHOWN)!r}")
    words = WORD.findall(record.text)
    return held(gate, f"{record.tokens} tokens, {len(words)} words, {len(set(words))} of them distinct")


def _kind(text: str) -> Reason:
    """What sort of text a degenerate one is."""
    words, found = text.split(), [word.lower() for word in WORD.findall(text)]
    loops = len(found) >= MIN_WORDS and len(set(found)) < MIN_DISTINCT_WORDS  # of markup is still a loop
    if not loops and _readable(text) < MIN_READABLE_SHARE:
        return Reason.UNREADABLE_TEXT
    return Reason.ONE_WORD if len(words) > 1 and len(set(words)) == 1 else Reason.DEGENERATE


def _readable(text: str) -> float:
    """Share of letters, digits and spaces; 1 for no text."""
    return sum(char.isalnum() or char.isspace() for char in text) / len(text) if text else 1.0


def degenerate(text: str) -> str | None:
    """Why a text of `PROBE_TOKENS` tokens or more is no text, in words; none if it is one."""
    words = [word.lower() for word in WORD.findall(text)]
    if len(words) < MIN_WORDS:
        return f"it says almost nothing ({len(words)} words)"
    distinct = Counter(words)
    if len(distinct) < MIN_DISTINCT_WORDS:
        return f"it repeats {len(distinct)} words"
    word, count = distinct.most_common(1)[0]
    if count > MAX_TOP_WORD_SHARE * len(words):
        return f"{count} of {len(words)} words are {word!r}"
    raw = text.encode()
    share = len(zlib.compress(raw, 9)) / len(raw)
    if share < MIN_COMPRESSED_SHARE:
        return f"it repeats itself (compresses to {share:.2f} of its size)"
    if (readable := _readable(text)) < MIN_READABLE_SHARE:
        return f"only {readable:.0%} of its characters are letters, digits or spaces"
    return None
