"""What follows from a start's settings, with the campaign's figures (lesson S7)."""

import pytest
from pydantic import ValidationError

from harness.analyses.answer import Answer, NoNumber
from harness.analyses.start import Start, analyse


def answered(**asked: object) -> Answer:
    answer = analyse(Start.model_validate(asked))
    assert isinstance(answer, Answer)
    return answer


@pytest.mark.parametrize(
    ("context", "splits", "share", "size"), [(131072, 96, 1366, 2048), (131072, 160, 820, 1024), (65536, 96, 683, 1024)]
)
def test_the_partition_of_a_context(context: int, splits: int, share: int, size: int) -> None:
    answer = answered(context_tokens=context, kv_splits=splits)
    assert (answer.value("tokens a split"), answer.value("decode partition")) == (share, size)


def test_a_binary_without_it_and_shared_memory_that_does_not_fit_are_said() -> None:
    answer = answered(context_tokens=131072, head_dim=256, built=[256, 512, 1024])
    assert answer.value("shared memory of a block") == 25_600
    assert [one for one in answer.cautions if "at least 128" in one]
    assert answered(context_tokens=131072, built=[2048], head_dim=256).cautions == ()
    (said,) = answered(context_tokens=262145, head_dim=256).cautions
    assert said == "a block has 49,152 bytes of shared memory and 50,176 are needed"


@pytest.mark.parametrize(("draft", "stay", "users"), [(0, 6, 32), (1, 5, 16), (2, 0, 0)])
def test_capture_sizes_under_draft_tokens(draft: int, stay: int, users: int) -> None:
    answer = answered(capture_sizes=[1, 2, 4, 8, 16, 32], draft_tokens=draft, users=24)
    assert answer.value("capture sizes that stay") == stay
    assert answer.value("most users on a captured graph") == users
    assert any("runs without a graph" in one for one in answer.cautions) is (users < 24)


def test_the_chart_is_the_partition_by_context_or_the_users_by_capture_size() -> None:
    chart = answered(context_tokens=131072).chart
    assert chart is not None
    assert dict(zip(chart.lines[0].xs, chart.lines[0].ys, strict=True))[131072] == 2048
    chart = answered(capture_sizes=[1, 2, 4], draft_tokens=1).chart
    assert chart is not None
    assert [(line.name, line.xs, line.ys) for line in chart.lines] == [
        ("stays", (2.0, 4.0), (1.0, 2.0)),
        ("is dropped", (1.0,), (0.5,)),
    ]


def test_nothing_given_is_no_number_and_nothing_below_one_is_a_size() -> None:
    assert isinstance(analyse(Start(head_dim=256)), NoNumber)
    with pytest.raises(ValidationError, match="at least 1"):
        Start.model_validate({"capture_sizes": [0, 1]})
