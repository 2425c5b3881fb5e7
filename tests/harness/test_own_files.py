"""What this account keeps for itself is closed to others from the moment it is there, also where it was open before."""

from pathlib import Path

from harness.lease import Lease
from harness.own_files import closed_folder, write_own


def mode(path: Path) -> int:
    """The rights of a file or folder."""
    return path.stat().st_mode & 0o7777


def test_a_folder_is_made_closed_and_an_open_one_is_closed(tmp_path: Path) -> None:
    closed_folder(tmp_path / "a" / "b")
    assert mode(tmp_path / "a" / "b") == 0o700
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o2755)
    closed_folder(tmp_path / "open")
    assert mode(tmp_path / "open") == 0o2700


def test_a_file_is_closed_and_written_anew(tmp_path: Path) -> None:
    write_own(tmp_path / "new", b"secret")
    (tmp_path / "old").write_text("much longer than before")
    (tmp_path / "old").chmod(0o644)
    write_own(tmp_path / "old", b"secret")
    for name in ("new", "old"):
        assert (mode(tmp_path / name), (tmp_path / name).read_bytes()) == (0o600, b"secret")


def test_whoever_takes_the_lease_closes_what_an_earlier_version_left_open(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir(mode=0o755)
    lease = Lease.take(tmp_path / "state", "measure-000001")
    assert isinstance(lease, Lease) and mode(tmp_path / "state") == 0o700
    lease.release()
