"""Fetching from a real host: files whole and hashed, the help run there, drift named, refusals in one sentence."""

from pathlib import Path
from typing import Any

import pytest

from committee.pull.fetch import MAX_FILE_BYTES, drifted, pull
from harness.vocabulary.base import BadFileError
from harness.vocabulary.target import Target
from tests.committee.proposals.sample import TARGET

HELP = "print('  --n-parallel N  slots (default: 1)')"


def target(compiled: list[dict[str, str]], words: tuple[str, ...] = ()) -> Target:
    """A target of this machine that lists these files."""
    return Target.model_validate({**TARGET, "sources": {"compiled": compiled, "help": words}})


def listed(path: Path, into: str = "kernel/a.cu") -> dict[str, str]:
    """One entry of the target's list."""
    return {"path": str(path), "into": into}


async def test_a_file_comes_whole_with_its_hash_and_drift_is_named(tmp_path: Path) -> None:
    source = tmp_path / "a.cu"
    source.write_bytes(b"// \xe2\x82\xac\r\n" * 60_000)  # more than one piece of reading
    about = target([listed(source)])
    pulled = await pull(tmp_path / "state", about)
    assert pulled.files == (("kernel/a.cu", source.read_bytes()),)
    assert pulled.manifest.file[0].bytes == source.stat().st_size
    assert "production does not answer as itself" in pulled.inventory.seen
    assert await drifted(tmp_path / "state", about, pulled.manifest) == ()
    source.write_bytes(b"other")
    (said,) = await drifted(tmp_path / "state", about, pulled.manifest)
    assert "has changed on the host since 'kernel/a.cu' was fetched; pull again" in said
    source.unlink()
    (said,) = await drifted(tmp_path / "state", about, pulled.manifest)
    assert "is gone on the host" in said


async def test_the_help_is_run_on_the_host(tmp_path: Path) -> None:
    pulled = await pull(tmp_path / "state", target([], ("{python}", "-c", HELP)))
    (flag,) = [flag for flag in pulled.inventory.flag if flag.name == "n-parallel"]
    assert (flag.default, flag.asked) == ("1", "1")


@pytest.mark.parametrize(
    ("sources", "words"),
    [
        (None, "lists nothing to fetch; add"),
        ({"compiled": [{"path": "/nowhere/a.cu", "into": "kernel/a.cu"}]}, "is not there on the host"),
        ({"help": ["{python}", "-c", "pass"]}, "prints no flags on the host"),
    ],
)
async def test_what_cannot_be_fetched_is_one_sentence(
    tmp_path: Path, sources: dict[str, Any] | None, words: str
) -> None:
    about = Target.model_validate({**TARGET, **({"sources": sources} if sources else {})})
    with pytest.raises(BadFileError, match=words):
        await pull(tmp_path / "state", about)


async def test_a_file_that_no_proposal_can_hold_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_bytes(b" " * (MAX_FILE_BYTES + 1))
    with pytest.raises(BadFileError, match="a proposal cannot hold it"):
        await pull(tmp_path / "state", target([listed(tmp_path / "a.cu")]))
