"""Degenerate text is caught from both sides; real text passes."""

import pytest

from harness.client.record import RequestRecord
from harness.gates.coherent import check_coherent, degenerate
from harness.vocabulary.outcome import Reason

# Written by the demo's model at temperature 0: a base model that falls into repeating its last sentences.
REAL_LOOPING = (
    " through the city of <strong>Bucaramanga</strong>, a town in the <strong>Amazonia</strong>, and is the "
    "main source of water for the <strong>Amazon</strong>.\n\nThe river is a <strong>natural</strong> "
    "<strong>source</strong> of water for the <strong>Amazon</strong>.\n\nThe river is a "
    "<strong>natural</strong> <strong>source</strong> of water for the <strong>Amazon</strong>.\n\nThe river "
    "is a <strong>natural</strong> <strong>source</strong> of water for the <strong>Amazon</strong>.\n\nThe "
    "river is a <strong>natural</strong> <strong>source</strong> of water for the"
)
REAL_PROBE = (
    " the lighthouse should be built. The first lighthouse was built in 1782, and it was the first lighthouse "
    "in the United States. It was built on the site of the old lighthouse in the town of New York. The "
    "lighthouse was built to provide a safe harbor for the ships that were passing through the harbor. The "
    "lighthouse was built to provide a safe harbor for the ships that were passing through the harbor. The "
    "lighthouse was built to provide a safe harbor"
)
CHINESE = (
    "燈塔的歷史可以追溯到十八世紀，當時鎮上的商人決定在港口的入口處建造一座石塔。工程持續了三年，"
    "每天有四十名工人搬運花崗岩，春天的暴風雨兩次沖毀了地基。塔頂的油燈由守塔人一家照料，他們的日記至今仍保存在"
    "圖書館裡，記錄了每一艘平安歸來的漁船與失蹤的水手。"
)
CODE = (
    "    previous, current = 0, 1\n    for index in range(2, n + 1):\n        previous, current = current, previous + "
    "current\n    return current\n\n\ndef main():\n    import sys\n    limit = int(sys.argv[1])\n    for value in "
    "range(limit):\n        print(value, fibonacci(value))\n\n\nif __name__ == '__main__':\n    main()\n"
)


@pytest.mark.parametrize("text", [REAL_LOOPING, REAL_PROBE, CHINESE, CODE])
def test_real_texts_are_coherent(text: str) -> None:
    assert degenerate(text) is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<h2>" * 100, "repeats 1 words"),
        ("Yes", "almost nothing (1 words)"),
        ("", "almost nothing (0 words)"),
        ("!?" * 100, "almost nothing"),
        ("the cat sat on the mat. " * 20, "repeats 5 words"),
        ("的" * 120, "repeats 1 words"),
        ("well " * 60 + " ".join(f"w{index}" for index in range(20)), "60 of 80 words are 'well'"),
        ("one two three four five six seven eight nine ten eleven twelve. " * 40, "repeats itself"),
        (" ".join(f"<@#%^&*{index}" for index in range(60)), "of its characters"),
    ],
)
def test_degenerate_texts_are_caught_from_both_sides(text: str, words: str) -> None:
    said = degenerate(text)
    assert said is not None and words in said


def record(tokens: int, text: str, reason: Reason | None = None) -> RequestRecord:
    return RequestRecord(t_send=0, t_end=1, reason=reason, detail="why", text=text, stamps=(1.0,), tokens=tokens)


def test_fewer_than_a_hundred_tokens_carry_no_number_however_fluent() -> None:
    outcome = check_coherent(record(99, REAL_PROBE))
    assert (outcome.passed, outcome.reason) == (False, Reason.TOO_FEW_TOKENS)
    assert check_coherent(record(100, REAL_PROBE)).passed


def test_a_two_token_answer_and_a_loop_fail() -> None:
    assert check_coherent(record(2, "Yes.")).reason is Reason.TOO_FEW_TOKENS
    outcome = check_coherent(record(100, "<h2>" * 100))
    assert (outcome.passed, outcome.reason) == (False, Reason.DEGENERATE)
    assert "<h2><h2>" in outcome.evidence


def test_a_word_for_ever_and_broken_symbols_have_reasons_of_their_own() -> None:
    assert check_coherent(record(100, " the" * 100)).reason is Reason.ONE_WORD
    assert check_coherent(record(100, "¶≠▒ " * 100)).reason is Reason.UNREADABLE_TEXT
    assert check_coherent(record(100, "")).reason is Reason.DEGENERATE
    assert check_coherent(record(100, "<h2>" * 33 + "<")).reason is Reason.DEGENERATE


def test_a_failed_probe_keeps_its_own_reason() -> None:
    outcome = check_coherent(record(120, REAL_PROBE, Reason.REQUEST_FAILED))
    assert (outcome.passed, outcome.reason) == (False, Reason.REQUEST_FAILED)
