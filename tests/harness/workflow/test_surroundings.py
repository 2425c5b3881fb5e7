"""A launch that is loaded by another protocol than the ladder, and what such a protocol sees of its server."""

from pathlib import Path

from harness.adapters import EngineReport
from harness.hosts.base import Held, ServerSpec
from harness.protocols.base import CacheCount
from harness.workflow.record import record_launch
from harness.workflow.surroundings import surroundings
from ledger.entries import Gate, Trial
from ledger.store import Ledger
from tests.harness.direct_host import DirectHost
from tests.harness.workflow.test_launch import criteria, launched


async def test_processes_are_seen_through_the_host_and_counters_through_the_engines_report(tmp_path: Path) -> None:
    host = DirectHost(tmp_path)
    spec = ServerSpec("x", ("/bin/sh", "-c", "sleep 30 & exec sleep 30"), (), tmp_path, "x", 1, 1)
    held = await host.start(spec)
    assert isinstance(held, Held)

    async def report() -> EngineReport:
        return EngineReport("", metrics={"llamacpp:prompt_tokens_total": 12.0})

    around = surroundings(host, held, report)
    try:
        uses = await around.watched.use()
        while len(uses) < 2:  # the shell has not become the second sleep yet
            uses = await around.watched.use()
        assert held.pid in {one.pid for one in uses}
        assert all(one.memory_mib > 0 and one.descriptors >= 3 for one in uses)
        assert await around.cache() == CacheCount(computed=12)
    finally:
        await host.stop(held, 1)
    assert await around.watched.use() == ()


async def test_a_launch_is_loaded_by_the_named_protocol_and_recorded_so(tmp_path: Path) -> None:
    given = criteria(
        protocol="identity",
        identity={"prompts": 2, "users": 2, "tokens": 16},
        primary={"metric": "user_tok_s", "load": 1, "smallest_effect_pct": 10},
    )
    outcome = await launched(tmp_path, criteria=given)
    assert outcome.usable, outcome.sentence
    assert len(outcome.texts) == 3 + 2  # the gate's and the protocol's, compared in the verdict together
    with Ledger.open(tmp_path / "records.db", actor="test", create=True) as ledger:
        record_launch(ledger, outcome)
        ((_, trial),) = ledger.of(Trial)
        gates = [gate for _, gate in ledger.of(Gate, gate="identical")]
    assert trial.protocol == "identity" and not any("the text differs" in one for one in trial.findings)
    assert {metric.metric for metric in trial.metrics} == {
        "user_tok_s",
        "identical_alone_share",
        "identical_loaded_share",
    }
    assert gates[-1].texts is not None and gates[-1].evidence == "5 texts at temperature 0, 2 of the protocol"


async def test_a_protocol_that_gives_no_number_says_its_own_reason(tmp_path: Path) -> None:
    given = criteria(
        protocol="soak",
        soak={"seconds": 2, "users": 1, "sample_s": 0.05, "tokens": 16, "prompt_tokens": 16},
        primary={"metric": "total_tok_s", "load": 1, "smallest_effect_pct": 10},
    )
    outcome = await launched(tmp_path, criteria=given)  # this server counts five tokens of every prompt
    assert not outcome.usable and outcome.trial is not None
    assert outcome.trial.reason == "wrong_length"
