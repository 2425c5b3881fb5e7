"""Writes docs/refusals.md from the list: `python -m tests.mutations.page`."""

from tests.mutations.refusals import ROOT, Part, Refusal, read_parts

PAGE = ROOT / "docs" / "refusals.md"
HEAD = """# What is refused

Made by `python -m tests.mutations.page` from `tests/mutations/refusals/`; a test fails when this page is stale.
Every line is one refusal, the file that makes it, and the test that fails when it is taken out of the code:
`python -m tests.mutations.mutate` takes out each of the {count} in turn in a copy of the tree and runs that test;
`--only ID` does it for one. `make test-mutations` does it for all.
"""


def page() -> str:
    """The whole page."""
    parts = read_parts()
    count = sum(len(part.refusals) for part in parts)
    return "\n".join([HEAD.format(count=count), *(_section(part) for part in parts)])


def _section(part: Part) -> str:
    rows = "\n".join(_row(refusal) for refusal in part.refusals)
    return f"## {part.title}\n\n| id | refused | in | test |\n|---|---|---|---|\n{rows}\n"


def _row(refusal: Refusal) -> str:
    said = refusal.refused.replace("|", "\\|").replace("*", "\\*").replace("<", "&lt;")
    return f"| {refusal.id} | {said} | `{refusal.file}` | `{refusal.test.removeprefix('tests/')}` |"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
