"""The border: the one place where a call's outcome becomes a review or an exclusion. Pure.

Nothing that is excluded here leaves a trace but its reason and a sentence in our own words: details never quote the
answer. Everything behind the border may trust what it gets.
"""

import json
import re
from typing import Any

from pydantic import ValidationError

from committee.fuse.echo import echoes_example
from committee.review.citations import false_quotes
from committee.review.completion import answer_text
from committee.review.received import Accepted, Excluded, Expected, Received
from committee.vocabulary.exclusion import Reason
from committee.vocabulary.review import (
    AnswerArm,
    AnswerCitation,
    AnswerHypothesis,
    AnswerPrediction,
    AnswerWitness,
    ReviewAnswer,
)
from harness.vocabulary.complaint_words import in_our_words

MAX_ANSWER_BYTES = 200_000  # twelve hypotheses with every text at its limit stay below this
_FENCE = re.compile(r"\A```(?:json|JSON)?[ \t]*\r?\n(?P<inside>.*)\r?\n```\Z", re.DOTALL)
_THINK = re.compile(r"</?(think|thinking|thought|reasoning)>|<\|channel\|>", re.IGNORECASE)
_OWN_NAMES = frozenset(
    name
    for part in (ReviewAnswer, AnswerHypothesis, AnswerPrediction, AnswerCitation, AnswerArm, AnswerWitness)
    for name in part.model_fields
)


class _RefusedJsonError(ValueError):
    """JSON that Python would read and we do not."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(detail)
        self.reason, self.detail = reason, detail


def judge(received: Received, expected: Expected) -> Accepted | Excluded:
    """A complete review, or the one reason for leaving it out whole.

    A single Markdown fence around the whole answer is taken off, once. Chat models add it against instructions, it
    carries no content, and what is inside is then held to the same rules. Words before or after it are not taken off:
    they could be a second answer, a warning or leaked thinking, and choosing between them would be guessing.
    """
    if received.failure is not None:
        return Excluded(received.failure, received.detail)
    text = answer_text(received.raw) if received.wire == "openai" else _output_text(received.raw)
    if isinstance(text, Excluded):
        return text
    if len(text.encode("utf-8", "replace")) > MAX_ANSWER_BYTES:
        return Excluded(Reason.TOO_LONG, f"the answer is longer than {MAX_ANSWER_BYTES} bytes")
    text = _without_one_fence(text.strip())
    if not text.startswith("{") and _THINK.search(text):
        return Excluded(Reason.THINKING_LEAKED, "thinking stands before the answer")
    try:
        value = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except _RefusedJsonError as error:
        return Excluded(error.reason, error.detail)
    except (ValueError, RecursionError):
        return Excluded(Reason.INVALID_JSON, "the answer is not one whole JSON value")
    return _review(value, text, expected)


def _review(value: object, text: str, expected: Expected) -> Accepted | Excluded:
    if not isinstance(value, dict):
        return Excluded(Reason.WRONG_SHAPE, "the answer is not a JSON object")
    if value.get("nonce") != expected.nonce:
        return Excluded(Reason.NONCE_MISSING, "the answer does not repeat the nonce of this attempt")
    try:
        answer = ReviewAnswer.model_validate_json(text)
    except ValidationError as error:
        return Excluded(Reason.WRONG_SHAPE, _complaint(error))
    if answer.proposal != expected.proposal:
        return Excluded(Reason.OTHER_PROPOSAL, "the answer names another proposal")
    if answer.count != len(answer.hypotheses):
        return Excluded(Reason.COUNT_DIFFERS, "the answer holds another number of hypotheses than it says")
    if answer.hypotheses and all(echoes_example(hypothesis.mechanism) for hypothesis in answer.hypotheses):
        return Excluded(Reason.EXAMPLE_ECHOED, "it holds nothing but the example of the prompt")
    for number, hypothesis in enumerate(answer.hypotheses, start=1):
        if any(citation.file not in expected.files for citation in hypothesis.citations):
            return Excluded(Reason.UNKNOWN_FILE_CITED, f"hypothesis {number} cites a file that is not in the revision")
    false, quotes = false_quotes(answer.hypotheses, expected.files)
    if 2 * false > quotes:
        return Excluded(Reason.FALSE_QUOTES, f"{false} of {quotes} quotes stand nowhere in the files they cite")
    return Accepted(answer)


def _output_text(raw: bytes) -> str | Excluded:
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        return Excluded(Reason.INVALID_JSON, "the output is not UTF-8 text")
    return text if text.strip() else Excluded(Reason.EMPTY, "the agent ended well and said nothing")


def _without_one_fence(text: str) -> str:
    found = _FENCE.match(text)
    return found["inside"].strip() if found else text


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise _RefusedJsonError(Reason.DUPLICATE_KEYS, "an object of the answer holds the same key twice")
    return value


def _no_constant(_name: str) -> object:
    raise _RefusedJsonError(Reason.INVALID_JSON, "the answer holds NaN or Infinity, which are not JSON")


def _complaint(error: ValidationError) -> str:
    """Pydantic's first complaint without a word of the answer: unknown keys and values are not quoted."""
    first = error.errors(include_input=False, include_url=False)[0]
    place = ".".join(str(part) for part in first["loc"] if isinstance(part, int) or part in _OWN_NAMES)
    told = {"extra_forbidden": "there is an unknown key", "missing": "missing"}
    what = told.get(first["type"]) or in_our_words(first["type"], first["msg"], first.get("ctx", {}))
    return f"at {place or 'the top'}: {what}"
