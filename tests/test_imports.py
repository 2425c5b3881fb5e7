"""What a GPU server has to load: the bench's command line must not pull in the front office's libraries."""

import subprocess
import sys

import pytest

FRONT_OFFICE = ("langgraph", "langchain_core", "openai", "altair", "vl_convert", "git", "jinja2", "committee")


def loaded(module: str) -> set[str]:
    """Top-level names in sys.modules after importing one module in a fresh interpreter."""
    code = f"import sys, {module}; print(*sorted({{name.split('.')[0] for name in sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return set(done.stdout.split())


@pytest.mark.parametrize("module", ["harness.cli", "ledger.store"])
def test_the_bench_and_the_archive_load_nothing_of_the_front_office(module: str) -> None:
    assert loaded(module) & set(FRONT_OFFICE) == set()


def test_the_guardian_loads_the_standard_library_only() -> None:
    foreign = loaded("harness.guardian") - loaded("sys")  # an environment may load packages into every interpreter
    assert foreign - set(sys.stdlib_module_names) == {"harness"}


def test_the_report_draws_only_when_it_is_asked_to() -> None:
    assert loaded("committee.report") & {"altair", "vl_convert", "langgraph", "openai"} == set()
