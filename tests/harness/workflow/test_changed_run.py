"""A whole measuring run with a build, a file replaced in place, a flag, and both stacked; no file is changed by it."""

import sys
from pathlib import Path
from typing import Any

import pytest

from harness.hosts.local import LocalHost
from harness.workflow.conclude import Conclusion
from harness.workflow.events import MeasureEvent
from harness.workflow.measure import Measurement, NotMeasured
from harness.workflow.order import Order
from harness.workflow.production import Occasion, bring_up, production_spec, state_dir, take_down
from harness.workflow.stacked import stacked_in
from ledger.entries import Arm as ArmEntry
from ledger.entries import Launch
from ledger.store import Ledger
from tests.harness import small_server
from tests.harness.hosts.yard import Yard
from tests.harness.workflow.bench_yard import CRITERIA, TARGET

RUN = "measure-test-000001"
SCRIPT = '#!/bin/sh\nexec {python} {server} "$@"\n'


class Ground(Yard):
    """A workspace whose production starts by a script, and files that may stand in for production's."""

    @classmethod
    def make(cls, root: Path) -> "Ground":
        ground = cls(root.resolve())
        for folder in ("lib", "src", "builds"):
            (root / folder).mkdir(parents=True)
        text = Path(small_server.__file__).read_text(encoding="utf-8")
        (root / "lib" / "server.py").write_text(text, encoding="utf-8")
        said = 'print("another server", flush=True)\n\n\ndef say('
        (root / "src" / "other.py").write_text(text.replace("def say(", said, 1), encoding="utf-8")
        (root / "deploy.sh").write_text(SCRIPT.format(python=sys.executable, server=root / "lib" / "server.py"))
        return ground

    @property
    def workspace(self) -> Path:
        return self.root / "workspace"

    def order(self, argv: tuple[str, ...] = ()) -> Order:
        root, output = self.root, str(self.root / "builds" / "other" / "server.py")
        path = str(root / "lib" / "server.py")
        listed: dict[str, Any] = {
            "deploy": {"script": str(root / "deploy.sh")},
            "allowed_overlays": [{"path": path, "mode": "in-place", "sources": str(root / "builds")}],
            "build": {
                "programs": ["/bin/cp"],
                "folders": [str(root / "src")],
                "output": str(root / "builds"),
                "unconfined": True,
            },
        }
        baseline = {**TARGET["baseline"], "command": ["/bin/sh", str(root / "deploy.sh")]}
        build = {"argv": argv or ("/bin/cp", "other.py", output), "cwd": str(root / "src"), "output": output}
        code: dict[str, Any] = {
            "name": "code",
            "overlay": [{"path": path, "source": output}],
            "build": build,
            "witness": [{"source": "log", "pattern": "another server"}],
        }
        fast = {
            "name": "fast",
            "flags": {"token-s": 0.001},
            "witness": [{"source": "log", "pattern": "token_s = 0.001"}],
        }
        arms = [code, fast, {"name": "both", "stack": ["code", "fast"]}]
        value = {
            "run": RUN,
            "target": TARGET | listed | {"baseline": baseline},
            "target_sha256": "0" * 64,
            "criteria": CRITERIA,
            "arms": [{"arm": {"schema": 1, **arm}, "approved_by": "Ada Example"} for arm in arms],
            "seed": 3,
        }
        return Order.from_mapping(value, "the order")


async def measured(ground: Ground, order: Order, ledger: Ledger, said: list[MeasureEvent]) -> Conclusion | NotMeasured:
    """Production up, the run, production down for good."""
    host = await LocalHost.open(state_dir(ground.workspace, order.target))
    await host.set_production(production_spec(order.target, ground.workspace))
    await bring_up(host, ledger, Occasion(order.target, "test"))
    await host.close()
    try:
        return await Measurement(order, ground.workspace, ledger, said.append).run()
    finally:
        host = await LocalHost.open(state_dir(ground.workspace, order.target))
        await take_down(host, ledger, Occasion(order.target, "test"))
        await host.dismiss()
        await host.close()


@pytest.mark.system
async def test_a_whole_run_with_files(tmp_path: Path) -> None:
    ground = Ground.make(tmp_path)
    ground.workspace.mkdir()
    original = (tmp_path / "lib" / "server.py").stat()
    before = {path: path.read_bytes() for path in (tmp_path / "lib" / "server.py", tmp_path / "deploy.sh")}
    with Ledger.open(ground.workspace / "records.db", actor="test", create=True) as ledger:
        events: list[MeasureEvent] = []
        outcome = await measured(ground, ground.order(), ledger, events)
        assert isinstance(outcome, Conclusion), outcome
        launches = [launch for _, launch in ledger.of(Launch, run=RUN)]
        assert [launch.undone for launch in launches] == [()] * len(launches)
        names = {arm.fingerprint: arm for _, arm in ledger.of(ArmEntry)}
        assert [arm.approved_by for arm in names.values() if arm.name in ("code", "both")] == ["Ada Example"] * 2
        for launch in launches:
            kinds = [file.kind for file in launch.files]
            code = launch.arm is not None and names[launch.arm].name != "fast"
            assert sorted(kinds) == (["copy", "in-place"] if code else ["copy"])
            assert (launch.built is not None) == code
            if launch.built:
                assert len(ledger.read_blob(launch.built.log.sha256)) == launch.built.log.size
        assert len(stacked_in(ledger, RUN)) == (2 if outcome.verdict.void is None else 0)
    assert {path: path.read_bytes() for path in before} == before
    after = (tmp_path / "lib" / "server.py").stat()
    assert (after.st_ino, after.st_mtime_ns, after.st_mode) == (original.st_ino, original.st_mtime_ns, original.st_mode)
    assert not list(tmp_path.rglob("*committee-backup*")) and not list(tmp_path.glob("*.committee-*"))


async def test_a_build_that_fails_leaves_production_alone(tmp_path: Path) -> None:
    ground = Ground.make(tmp_path)
    ground.workspace.mkdir()
    order = ground.order(("/bin/cp", "nothing-there.py", "x"))
    with Ledger.open(ground.workspace / "records.db", actor="test", create=True) as ledger:
        events: list[MeasureEvent] = []
        outcome = await measured(ground, order, ledger, events)
        assert isinstance(outcome, NotMeasured)
        assert outcome.reason == "build_failed" and "production was not touched" in outcome.sentence
        assert not ledger.of(Launch, run=RUN)
        assert "production is taken down" not in [event.text for event in events]
