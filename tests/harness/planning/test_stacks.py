"""A stack is all of its parts together, and what its interactions need is added to it."""

from typing import Any

import pytest

from harness.planning.stacks import expand
from harness.vocabulary.arm import Arm


def arm(name: str, **change: Any) -> Arm:
    return Arm.model_validate({"schema": 1, "name": name, **change})


def overlaid(name: str, digit: str) -> Arm:
    return arm(name, overlay=[{"path": "/lib/a.so", "source": "/new/a.so", "sha256": digit * 64}])


def scripted(name: str, find: str, replace: str) -> Arm:
    return arm(name, deploy=[{"find": find, "replace": replace}])


CORE = arm("core", env={"CORE_OP": "1"}, witness=[{"source": "log", "pattern": "core op"}])
GRAPH = arm("graph", flags={"graph_mode": True}, witness=[{"source": "log", "pattern": "graph on"}])
MODEL = arm("model", model="/srv/models/a.gguf")


def expanded(*arms: Arm) -> tuple[Arm, ...]:
    found = expand(arms)
    assert not isinstance(found, str), found
    return found


def test_two_stacked_arms_are_measured_alone_and_together() -> None:
    core, graph, both = expanded(CORE, GRAPH, arm("both", stack=["core", "graph"], title="on top"))
    assert (core, graph) == (CORE, GRAPH)
    assert both == arm(
        "both",
        title="on top",
        stack=["core", "graph"],
        flags={"graph-mode": True},
        env={"CORE_OP": "1"},
        witness=[{"source": "log", "pattern": "core op"}, {"source": "log", "pattern": "graph on"}],
    )
    assert both.fingerprint == arm("x", flags={"graph-mode": True}, env={"CORE_OP": "1"}).fingerprint


def test_three_need_every_set_that_leaves_one_out() -> None:
    found = expanded(CORE, GRAPH, MODEL, arm("all", stack=["core", "graph", "model"]))
    assert [one.name for one in found] == [
        *("core", "graph", "model", "all", "all-without-core", "all-without-graph", "all-without-model"),
    ]
    assert [one.stack for one in found[4:]] == [("graph", "model"), ("core", "model"), ("core", "graph")]
    assert found[4].model == MODEL.model and found[4].env == {}
    assert len({one.fingerprint for one in found}) == 7
    assert expanded(*found) == found  # an order that was written and read again
    assert expanded(*found[:4], arm("pair", stack=["core", "graph"]))[-1].name == "pair"  # not measured twice


def test_a_stack_of_four_gets_four_sets_and_no_more_when_it_is_read_again() -> None:
    parts = [arm(name, flags={name: 1}) for name in ("a", "b", "c", "d")]
    found = expanded(*parts, arm("all", stack=["a", "b", "c", "d"]))
    assert [len(one.stack) for one in found] == [0, 0, 0, 0, 4, 3, 3, 3, 3]
    assert expanded(*found) == found
    inner = expanded(*parts, arm("all", stack=["a", "b", "c", "d"]), arm("three", stack=["a", "b", "c"]))
    assert [one.name for one in inner if len(one.stack) == 2] == [f"three-without-{name}" for name in "abc"]
    assert expanded(*inner) == inner


def test_names_of_long_stacks_do_not_collide() -> None:
    long = "the-very-long-name-of-a-stack-of-this-server-"
    parts = [arm(name, flags={name: 1}) for name in ("a", "b", "c", "d-" + "x" * 46)]
    found = expanded(*parts, arm(f"{long}1", stack=["a", "b", "c"]), arm(f"{long}2", stack=["a", "b", parts[3].name]))
    names = [one.name for one in found]
    assert len(set(names)) == len(names) == 4 + 2 + 5  # both leave out their third part: the same set, measured once
    assert all(len(name) <= 48 for name in names)
    assert "the-very-long-n-without-a-" in names[5] and expanded(*found) == found
    taken = expanded(
        CORE, GRAPH, MODEL, arm("s", stack=["core", "graph", "model"]), arm("s-without-core", flags={"z": 1})
    )
    assert len({one.name for one in taken}) == len(taken) == 8


def test_a_stack_that_was_filled_in_can_be_measured_without_its_parts() -> None:
    both = expanded(CORE, GRAPH, arm("both", stack=["core", "graph"]))[2]
    assert expanded(both) == (both,)
    every = expanded(CORE, GRAPH, MODEL, arm("all", stack=["core", "graph", "model"]))[3]
    assert expanded(CORE, every) == (CORE, every)


def test_files_of_all_parts_come_together() -> None:
    over = {"path": "/lib/a.so", "source": "/new/a.so", "sha256": "a" * 64}
    built = {"path": "/lib/b.so", "source": "/new/b.so"}
    build = {"argv": ["make"], "cwd": "/src", "output": "/new/b.so"}
    one = arm("one", overlay=[over], deploy=[{"find": "a", "replace": "b"}])
    two = arm("two", overlay=[built], build=build)
    both = expanded(one, two, arm("both", stack=["one", "two"]))[-1]
    assert (
        both.fingerprint
        == arm("x", overlay=[over, built], build=build, deploy=[{"find": "a", "replace": "b"}]).fingerprint
    )
    assert both.is_code


@pytest.mark.parametrize(
    ("arms", "said"),
    [
        ((CORE, arm("s", stack=["core", "gone"])), "is stacked from 'gone', which is not among the arms; add it"),
        (
            (CORE, GRAPH, arm("s", stack=["core", "graph"]), arm("t", stack=["s", "core"])),
            "is stacked from 's', which is a stack itself",
        ),
        ((CORE, arm("c", env={"CORE_OP": "0"}), arm("s", stack=["core", "c"])), "set 'CORE_OP' differently"),
        ((MODEL, arm("m", model="/srv/b.gguf"), arm("s", stack=["model", "m"])), "have two models"),
        (
            (CORE, GRAPH, arm("s", stack=["core", "graph"], flags={"other": 1})),
            "changes something else than the arms it is stacked from",
        ),
        ((CORE, CORE, arm("s", stack=["core", "graph"])), "two arms have the same name"),
        (
            (overlaid("a", "a"), overlaid("b", "b"), arm("s", stack=["a", "b"])),
            "overlay '/lib/a.so' differently",
        ),
        (
            (scripted("a", "N=1", "N=2"), scripted("b", "N=1", "N=3"), arm("s", stack=["a", "b"])),
            "edit 'N=1' differently",
        ),
        (
            (scripted("a", "N=1", "N=2"), scripted("b", "X N=1 Y", ""), arm("s", stack=["a", "b"])),
            "edit 'X N=1 Y' diff",
        ),
    ],
)
def test_what_cannot_be_stacked_gets_one_sentence(arms: tuple[Arm, ...], said: str) -> None:
    found = expand(arms)
    assert isinstance(found, str)
    assert said in found
