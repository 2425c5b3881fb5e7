"""`doctor` says whether an agent that is here is shut in."""

import shutil

import pytest

from committee.cli.examining import agents
from committee.vocabulary.config import CommitteeConfig


def config(**agent: object) -> CommitteeConfig:
    seat = {"name": "agent", "kind": "command", "argv": ("/bin/sh",)} | agent
    return CommitteeConfig.model_validate({"schema": 1, "review": {"quorum": 1}, "reviewer": [seat]})


def test_an_agent_that_is_not_here_needs_nothing() -> None:
    assert agents(config(argv=("committee-no-such-agent",)), bwrap=None) == []


def test_without_bubblewrap_it_is_named() -> None:
    ((name, good, detail),) = agents(config(), bwrap=None)
    assert (name, good) == ("agents shut in", False) and "install bubblewrap" in detail


@pytest.mark.parametrize(("confined", "good", "said"), [(True, True, "by bubblewrap"), (False, False, "not agent")])
def test_with_it_only_who_asked_to_be_free_is_named(confined: bool, good: bool, said: str) -> None:
    ((_, found, detail),) = agents(config(confined=confined), bwrap=shutil.which("sh"))
    assert (found, detail.startswith(said)) == (good, True)
