"""Files of a host are changed for an arm and changed back, here and over ssh."""

import hashlib
from pathlib import Path

from harness.overlay.values import FileChange, NotChanged
from tests.harness.hosts.yard import Yard, opened, started, with_production
from tests.harness.overlay.ground import gguf


def in_place(path: Path, source: Path) -> FileChange:
    """That file by the other one."""
    sha256 = hashlib.sha256(source.read_bytes()).hexdigest()
    return FileChange("in-place", str(path), str(source), str(source.parent), sha256, max_mib=1)


async def test_all_kinds_of_changes_and_back(yard: Yard) -> None:
    work = yard.work.resolve()
    path, source, model = work / "model.bin", work / "builds" / "other.bin", work / "m.gguf"
    source.parent.mkdir()
    source.write_bytes(b"other weights")
    model.write_bytes(gguf())
    await with_production(yard)
    before = yard.files()
    async with opened(yard) as host:
        await host.begin("run-1")
        await host.take_down()
        copy = FileChange("copy", str(path), copies=str(path), made=str(work / "m.committee-x"), max_mib=1, edits=())
        done = await host.change("arm-1", [FileChange("model", str(model)), copy, in_place(path, source)])
        assert not isinstance(done, NotChanged), done
        assert path.read_bytes() == b"other weights"
        assert [one.kind for one in done] == ["model", "copy", "in-place"]
        assert done[0].said.startswith("qwen35, 2 tensors, ") and done[0].said.endswith("trained for 262144 tokens")
        assert done[2].after_sha256 == hashlib.sha256(b"other weights").hexdigest()
        assert done[1].before_sha256 == done[1].after_sha256 == done[2].before_sha256
        assert await host.undo() == ()
        refused = await host.change("arm-2", [FileChange("model", str(path))])
        assert isinstance(refused, NotChanged) and "does not begin like a GGUF file" in refused.detail
        started(await host.bring_back())
        await host.end()
    assert yard.files() == before
