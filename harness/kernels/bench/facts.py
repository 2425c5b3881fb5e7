"""What is known of the machine that measured: processor or card, driver, clocks, temperature, throttling."""

import os
import platform
import shutil
import subprocess
from pathlib import Path

CARD_FIELDS = (
    "name", "driver_version", "uuid", "clocks.sm", "clocks.max.sm", "clocks.mem", "temperature.gpu", "power.draw",
    "clocks_throttle_reasons.active", "memory.total",
)  # fmt: skip
ASKING_S = 20.0


def machine_facts(language: str) -> dict[str, str]:
    """Names and values as the system says them; what cannot be had is left out."""
    facts = {"machine": platform.machine(), "kernel": platform.release(), "python": platform.python_version()}
    facts["processor"] = _processor()
    facts["processors"] = str(len(os.sched_getaffinity(0)))
    facts["load_1_min"] = f"{os.getloadavg()[0]:.2f}"
    governor = Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
    if governor.is_file():
        facts["governor"] = governor.read_text(encoding="ascii").strip()
    return {**facts, **(_card() if language == "cuda" else {})}


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or "unknown"


def _card() -> dict[str, str]:
    asked = shutil.which("nvidia-smi")
    if asked is None:
        return {}
    argv = [asked, f"--query-gpu={','.join(CARD_FIELDS)}", "--format=csv,noheader", "--id=0"]
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=ASKING_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return {}
    values = [part.strip() for part in done.stdout.strip().split(",")]
    if done.returncode != 0 or len(values) != len(CARD_FIELDS):
        return {}
    return {f"card.{name}": value for name, value in zip(CARD_FIELDS, values, strict=True)}
