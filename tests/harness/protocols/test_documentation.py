"""docs/measuring.md says every protocol, every setting with its default, every metric and every reason of them."""

import re
from pathlib import Path

import pytest

from harness.protocols import PROTOCOLS
from harness.vocabulary.criteria import DEFAULTS
from harness.vocabulary.metrics import METRICS, NOT_COMPARED, ProtocolName
from harness.vocabulary.outcome import LOWER_IS_BETTER, Metric, Reason

PAGE = (Path(__file__).parents[3] / "docs" / "measuring.md").read_text(encoding="utf-8")
OWN_REASONS = (
    Reason.WARM, Reason.COLD_UNPROVEN, Reason.WRONG_LENGTH, Reason.NOT_REACHED, Reason.TIME_LIMIT, Reason.STALLED,
    Reason.MEMORY_GROWS, Reason.DESCRIPTORS_GROW, Reason.NO_TOOL_CALL, Reason.IMAGE_IGNORED, Reason.TEXT_VARIES,
)  # fmt: skip


def section(protocol: ProtocolName) -> str:
    (found,) = re.findall(rf"^### `{protocol.value}`\n(.*?)(?=^##)", PAGE, re.DOTALL | re.MULTILINE)
    return str(found)


def written(value: object) -> str:
    """A default as the page writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return ", ".join(written(one) for one in value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def test_every_protocol_can_be_called() -> None:
    assert set(PROTOCOLS) == set(ProtocolName) == set(METRICS) == set(DEFAULTS)


@pytest.mark.parametrize("protocol", list(ProtocolName))
def test_every_setting_stands_with_its_default(protocol: ProtocolName) -> None:
    page, settings = section(protocol), DEFAULTS[protocol]
    rows = dict(re.findall(r"^\| `(\w+)` \| ([^|]+?) \|", page, re.MULTILINE))
    fields = {name: getattr(settings, name) for name in type(settings).model_fields}  # type: ignore[attr-defined]
    limit = fields.pop("request_timeout_s")
    assert limit in (300, 600, 3600)
    assert {name: default.strip("`") for name, default in rows.items()} == {
        name: written(value) for name, value in fields.items()
    }
    assert all(f"`{metric.value}`" in page for metric in METRICS[protocol])


@pytest.mark.parametrize("metric", list(Metric))
def test_every_metric_is_defined_with_its_direction(metric: Metric) -> None:
    rows = [row for row in PAGE.split("## Every metric")[1].splitlines() if f"`{metric.value}`" in row.split(" | ")[0]]
    assert len(rows) == 1
    first, unit, better, definition = (cell.strip() for cell in rows[0].strip("| ").split(" | "))
    assert unit and len(definition) > 10
    if metric in NOT_COMPARED:
        assert better == "-" and f"`{metric.value}` *" in first
    else:
        assert better == ("lower" if metric in LOWER_IS_BETTER else "higher")


@pytest.mark.parametrize("reason", OWN_REASONS)
def test_every_reason_is_explained(reason: Reason) -> None:
    assert f"`{reason.value}`" in PAGE
