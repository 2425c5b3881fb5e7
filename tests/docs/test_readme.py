"""The README says plainly what was never run, and names the stand-in by which it was tried."""

from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_what_was_never_run_is_said_where_people_look_first() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (said,) = [part for part in text.split("\n\n") if part.startswith("**Never run by us: vLLM and its V100 fork.**")]
    assert "written against published log lines" in said and "simulator" in said
    assert text.index(said) < text.index("docs/tutorial.md"), "before the list of pages"
    assert (ROOT / "harness/adapters/vllm.py").is_file() and (ROOT / "targets/v100-tp4.toml").is_file()
