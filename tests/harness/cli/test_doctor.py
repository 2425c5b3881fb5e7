"""`harness doctor` says whether cards can be read, how to get that, and which targets limit what nobody can read."""

import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from harness.cli.app import app
from harness.cli.doctor import INSTALL, cards_read
from harness.simulator import cards, nvml
from tests.committee.cli.yard import TARGET


@pytest.fixture
def blind(monkeypatch: pytest.MonkeyPatch) -> None:
    """No library that reads cards."""
    monkeypatch.setitem(sys.modules, "pynvml", None)


@pytest.mark.usefixtures("blind")
def test_a_machine_without_a_card_is_good_and_is_told_what_cards_need(tmp_path: Path) -> None:
    assert cards_read(tmp_path) == ("cards", True, f"no NVIDIA card is here; where there is one, {INSTALL}")
    assert "nvidia-ml-py" in INSTALL and "`cards`" in INSTALL


@pytest.mark.usefixtures("blind")
def test_cards_that_nobody_reads_are_looked_at(tmp_path: Path) -> None:
    for name in ("nvidia0", "nvidia1", "nvidiactl", "nvidia-uvm"):
        (tmp_path / name).touch()
    name, good, detail = cards_read(tmp_path)
    assert (
        (name, good) == ("cards", False) and detail.startswith("2 NVIDIA, and none can be read") and INSTALL in detail
    )


def test_cards_that_are_read_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "cards.json"
    cards.write(path, cards.idle(4))
    with nvml.standing_in(), nvml.cards_of(path):
        assert cards_read(tmp_path) == ("cards", True, "4 can be read: their memory, heat, throttling and processes")


@pytest.mark.usefixtures("blind")
def test_a_target_that_limits_what_no_card_tells_is_looked_at(tmp_path: Path) -> None:
    (tmp_path / "targets").mkdir()
    for name, limits in (("cool", "max_card_temperature_c = 85"), ("small", "max_other_cpu_pct = 50")):
        text = TARGET.replace('"small"', f'"{name}"') + f"\n[quiet]\n{limits}\n"
        (tmp_path / "targets" / f"{name}.toml").write_text(text)
    said = CliRunner().invoke(app, ["doctor", "--workspace", str(tmp_path)])
    assert said.exit_code == 1 and "[quiet] of small" not in said.output
    assert "LOOK  [quiet] of cool: the temperature of cards is limited, and no card was found" in said.output
