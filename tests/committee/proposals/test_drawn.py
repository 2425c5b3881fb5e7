"""A new proposal's figures are drawn from its target: whoever is not llama.cpp on a CPU gets others."""

from pathlib import Path
from typing import Literal

import pytest

from committee.making import init, new
from committee.proposals.drawn import ARMS, EFFECT_PCT, MOST_BLOCKS, drawn_from, ladder_for
from committee.proposals.folder import load
from harness.vocabulary.criteria import Criteria
from harness.vocabulary.target import Target
from harness.workflow.lint import unprovable_gate
from harness.workflow.order import read_target
from harness.workflow.plan import downtime_s

ROOT = Path(__file__).resolve().parents[3]


def target(name: str) -> Target:
    """A shipped target."""
    return read_target(ROOT / "targets" / f"{name}.toml")[0]


@pytest.mark.parametrize(
    ("users", "steps"),
    [
        (1, (1,)),
        (2, (1, 2, 1)),
        (4, (1, 2, 4, 2, 1)),
        (6, (1, 2, 4, 6, 4, 2, 1)),
        (8, (1, 2, 4, 8, 8, 4, 2, 1)),
        (24, (1, 2, 4, 8, 16, 24, 24, 16, 8, 4, 2, 1)),
    ],
)
def test_the_ladder_goes_to_the_users_that_the_server_is_designed_for(users: int, steps: tuple[int, ...]) -> None:
    assert ladder_for(users) == steps


@pytest.mark.parametrize(
    ("name", "tokens", "blocks", "minutes"),
    [("local-llamacpp", 64, 8, 20), ("v100-tp4", 256, 7, 640), ("simulated-tp4", 64, 4, 5)],
)
def test_answers_blocks_and_budget(name: str, tokens: int, blocks: int, minutes: int) -> None:
    drawn = drawn_from(target(name))
    assert (drawn.tokens, drawn.blocks, drawn.server_minutes) == (tokens, blocks, minutes)
    assert drawn.sees_pct <= EFFECT_PCT, "the plan sees what its own criteria ask for"
    assert 0 <= drawn.server_minutes - drawn.downtime_s / 60 < 5


@pytest.mark.parametrize("name", ["local-llamacpp", "v100-tp4", "simulated-tp4"])
def test_the_files_hold_them_and_their_budget_is_enough(tmp_path: Path, name: str) -> None:
    workspace = init(tmp_path / "w")
    (workspace.folder / "targets" / f"{name}.toml").write_bytes((ROOT / "targets" / f"{name}.toml").read_bytes())
    folder = new(workspace, "wider-tiles", "config", name)
    known, loaded = target(name), load(folder)
    assert loaded.criteria.primary.load == known.users
    assert max(loaded.criteria.settings.loads) == known.users
    away_min = downtime_s(known.planned, loaded.criteria, ARMS) / 60
    assert away_min <= loaded.header.budget.server_minutes < away_min + 5
    written = (folder / "proposal.toml").read_text() + (folder / "criteria.toml").read_text()
    assert "{{" not in written and f"at most about {away_min:.0f} minutes" in written
    assert f"designed for {known.users} users" in written


@pytest.mark.parametrize("kind", ["config", "kernel"])
@pytest.mark.parametrize("adapter", ["command", "transformers", "vllm", "llamacpp"])
def test_a_new_proposal_asks_for_the_gates_that_its_engine_can_prove(
    tmp_path: Path, kind: Literal["config", "kernel"], adapter: Literal["command", "transformers", "vllm", "llamacpp"]
) -> None:
    workspace, path = init(tmp_path / "w"), ROOT / "targets" / "local-llamacpp.toml"
    text = path.read_text(encoding="utf-8").replace('adapter = "llamacpp"', f'adapter = "{adapter}"')
    (workspace.folder / "targets" / path.name).write_text(text, encoding="utf-8")
    folder = new(workspace, "wider-tiles", kind, "local-llamacpp")
    blind = adapter in ("command", "transformers")
    written = (folder / "criteria.toml").read_text(encoding="utf-8")
    gates = Criteria.from_toml(folder / "criteria.toml").gates
    assert gates == (("ready", "armed", "coherent") if blind else ("ready", "armed", "isolated", "coherent"))
    assert (f"# not isolated: adapter '{adapter}' reads no counts to prove it" in written) is blind
    assert unprovable_gate(read_target(workspace.folder / "targets" / path.name)[0], gates) is None


def test_a_spread_that_no_night_settles_gets_a_plan_that_says_what_it_sees() -> None:
    wild = target("local-llamacpp")
    wild = wild.model_copy(update={"planning": wild.planning.model_copy(update={"launch_sd_pct": 30.0})})
    drawn = drawn_from(wild)
    assert drawn.blocks == MOST_BLOCKS and drawn.sees_pct > EFFECT_PCT
