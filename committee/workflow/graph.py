"""The LangGraph graph and the three ways into it: start, resume, decide.

The ledger is the truth and the checkpoint a cache in a file of its own: every node is safe to run again, so a run whose
checkpoint is gone or unreadable is taken up from the top and does again only what the ledger does not hold. A run is
locked for as long as one process works on it: two at once would ask every reviewer twice.
"""

import secrets
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import aiosqlite
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command
from langsmith.run_helpers import tracing_context

from committee.workflow.desk import Desk, StageEvent
from committee.workflow.frozen import review_run
from committee.workflow.lock import held_everywhere
from committee.workflow.nodes import Nodes
from committee.workflow.session import Session, session
from committee.workflow.state import Stage, State, new_run
from harness.vocabulary.base import BadFileError

Graph = CompiledStateGraph[Any, Any, Any, Any]
Onward = Callable[[State], Any]  # from a state to the next stage's name, or to what each of its branches gets
ORDER = list(Stage)
TELL_THEMSELVES = frozenset({Stage.REVIEW, Stage.WITHOUT_COMMENTS, Stage.SECOND_LOOK})  # branches, and later rounds
RUN_WORD_BYTES = 4  # a thousand runs begun in one second differ all the same, but for one chance in ten thousand


@dataclass(frozen=True)
class RunResult:
    """Where a run stands now."""

    run: str
    waiting: bool = False  # for a person, in the accept node
    ended: str = ""  # one sentence when it stopped before its end
    seats: dict[str, str] = field(default_factory=dict)  # reviewer: complete, or the reason of its exclusion
    arms: tuple[str, ...] = ()
    measuring_run: str = ""
    verdicts: tuple[str, ...] = ()

    @property
    def exit_code(self) -> int:
        """0 when it came as far as was asked, 1 when it ended with a sentence."""
        return 1 if self.ended else 0


async def start(desk: Desk, proposal: str, upto: Stage = Stage.BRIEF, before: Stage | None = None) -> RunResult:
    """Begin a new run. Raises BadFileError for a folder, target or setting that cannot be used.

    It pauses `before` a stage, where `resume` goes on.
    """
    async with opened(desk) as graph:
        return await begin(desk, graph, proposal, upto, before)


async def begin(desk: Desk, graph: Graph, proposal: str, upto: Stage, before: Stage | None = None) -> RunResult:
    """Begin a new run on a graph that is open. Raises BadFileError as `start`."""
    run = new_run(datetime.now(UTC), secrets.token_hex(RUN_WORD_BYTES))
    with held_everywhere(desk.ledger, desk.checkpoints.parent, run) as taken:
        if taken:
            return RunResult(run, ended=taken)
        return await _run(graph, run, {"run": run, "proposal": proposal, "upto": upto.value}, before)


async def resume(desk: Desk, run: str, upto: Stage = Stage.BRIEF, before: Stage | None = None) -> RunResult:
    """Take a run up where it stands, or take a finished one further. Raises BadFileError when there is no such run.

    It pauses `before` a stage, unless it stands there already.
    """
    begun = _known(desk, run)
    with held_everywhere(desk.ledger, desk.checkpoints.parent, run) as taken:
        if taken:
            return RunResult(run, ended=taken)
        async with opened(desk) as graph:
            return await _taken_up(graph, run, begun, upto, before)


async def decide(desk: Desk, run: str, decision: dict[str, str]) -> RunResult:
    """Give a waiting run its person's decision. What is accepted was recorded before; this only ends the waiting."""
    begun = _known(desk, run)
    with held_everywhere(desk.ledger, desk.checkpoints.parent, run) as taken:
        if taken:
            return RunResult(run, ended=taken)
        async with opened(desk) as graph:
            standing = await _taken_up(graph, run, begun, Stage.ACCEPT)
            return await _run(graph, run, Command(resume=decision)) if standing.waiting else standing


def build(session: Session) -> StateGraph[State, None, State, State]:
    """The graph's shape: a line with one fan-out."""
    nodes, desk = Nodes(session), session.desk
    graph: StateGraph[State, None, State, State] = StateGraph(State)
    for stage, following in pairwise([*(stage.value for stage in ORDER), END]):
        onward = nodes.fan_out if stage == Stage.PREFLIGHT else _to(following)
        graph.add_node(stage, _told(desk, Stage(stage), getattr(nodes, stage), onward), destinations=(following, END))
    graph.add_edge(START, Stage.FREEZE.value)
    return graph


def _to(following: str) -> Onward:
    return lambda _state: following


def _told(desk: Desk, stage: Stage, node: Callable[[Any], Any], onward: Onward) -> Any:
    """The node, with the watchers told and the way from it: to the end if it stopped or was asked to go no further.

    Review branches and later rounds, which not every run has, tell watchers themselves. A node says itself where it
    leads: an edge with a condition would be asked in a thread, once for each branch.
    """

    async def step(state: State) -> Command[Any]:
        if stage not in TELL_THEMSELVES:
            desk.watch_stages(StageEvent(stage.value))
        update = await node(state)
        if update.get("ended"):
            desk.watch_stages(StageEvent(stage.value, update["ended"]))
        last = update.get("ended") or state["upto"] == stage.value
        return Command(update=update, goto=END if last else onward({**state, **update}))

    step.__name__ = stage.value
    return step


async def _taken_up(graph: Graph, run: str, proposal: str, upto: Stage, before: Stage | None = None) -> RunResult:
    """From the checkpoint where it leads as far as is asked, else from the top."""
    kept = await graph.aget_state(_config(run))
    if kept.next and kept.values.get("upto") == upto.value:
        return await _run(graph, run, None, before)
    return await _run(graph, run, {"run": run, "proposal": proposal, "upto": upto.value, "ended": ""}, before)


async def _run(graph: Graph, run: str, given: Any, before: Stage | None = None) -> RunResult:
    """Drive the graph. Nothing is traced abroad.

    `exit`: the cache is written once, where the run ends or waits. After a kill the ledger holds all that it would say.
    """
    with tracing_context(enabled=False):
        pause = [before.value] if before else None
        values = await graph.ainvoke(given, _config(run), durability="exit", interrupt_before=pause)
    return RunResult(
        run=run,
        waiting=bool(values.get("__interrupt__")),
        ended=values.get("ended", ""),
        seats=dict(values.get("seats", {})),
        arms=tuple(values.get("arms", ())),
        measuring_run=values.get("measuring_run", ""),
        verdicts=tuple(values.get("verdicts", ())),
    )


def _config(run: str) -> RunnableConfig:
    return {"configurable": {"thread_id": run}}


def _known(desk: Desk, run: str) -> str:
    begun = review_run(desk.ledger, run)
    if begun is None:
        raise BadFileError(f"there is no review run {run!r} in {str(desk.ledger.path)!r}; see `committee log`")
    return begun.proposal


@asynccontextmanager
async def opened(desk: Desk) -> AsyncIterator[Graph]:
    """The graph with its cache, for any number of runs."""
    connection = await _connected(desk.checkpoints)
    try:
        saver = AsyncSqliteSaver(connection, serde=JsonPlusSerializer(allowed_msgpack_modules=None))
        async with session(desk) as shared:
            yield build(shared).compile(checkpointer=saver)
    finally:
        await connection.close()


async def _connected(path: Path) -> aiosqlite.Connection:
    """The cache, made anew when it is no database: everything in it can be had from the ledger."""
    _make_folder(path)
    try:
        return await _opened(path)
    except sqlite3.DatabaseError:
        _remove(path)
        return await _opened(path)


async def _opened(path: Path) -> aiosqlite.Connection:
    connection = await aiosqlite.connect(path)
    try:
        await connection.execute("PRAGMA synchronous=OFF")  # a cache: the ledger is what must be on disk
        await AsyncSqliteSaver(connection).setup()
    except sqlite3.DatabaseError:
        await connection.close()
        raise
    return connection


def _make_folder(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)


def _remove(path: Path) -> None:
    for file in (path, *(path.with_name(path.name + tail) for tail in ("-wal", "-shm"))):
        file.unlink(missing_ok=True)
