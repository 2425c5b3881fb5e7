"""The one table of flags, the target's file and the documents agree."""

import re
from pathlib import Path

from harness.engines.flags import FLAGS
from harness.vocabulary.arm import normal
from harness.vocabulary.target import Target

ROOT = Path(__file__).parents[3]
KNOWN = {flag.name: flag for flag in FLAGS}


def test_names_are_unique_and_in_one_spelling() -> None:
    assert len(KNOWN) == len(FLAGS)
    assert all(normal(name) == name for name in KNOWN)


def test_the_shipped_target_uses_only_flags_and_words_that_the_engine_knows() -> None:
    target = Target.from_toml(ROOT / "targets" / "local-llamacpp.toml")
    assert (target.users, target.endpoint.api, target.planning.launch_sd_pct, target.planning.start_s) == (
        4,
        "completions",
        5,
        1.5,
    )
    for name, value in target.baseline.flags.items():
        choices = KNOWN[name].choices
        assert choices is None or value in choices
    for name, allowed in target.allowed_flags.items():
        flag = KNOWN[name]
        assert set(allowed.values) <= set(flag.choices or ())
        assert (allowed.type == "int") == (flag.kind == "int")
    assert re.search(target.ready.pattern, "srv init: listening on http://127.0.0.1:34423")
    assert not {"host", "port", "alias", "model"} & set(target.allowed_flags)


def test_every_flag_is_in_the_documents() -> None:
    page = (ROOT / "docs" / "gates-and-metrics.md").read_text()
    assert [flag.name for flag in FLAGS if f"| `{flag.name}` | {flag.meaning} |" not in page] == []
