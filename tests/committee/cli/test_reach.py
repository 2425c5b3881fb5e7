"""A reviewer's address is tried without sending anything, and `committee doctor` points at targets that are drafts."""

import socket
from pathlib import Path

from committee.cli.reach import no_connection
from committee.cli.seats import seat_checks
from tests.committee.cli.test_seats import hosted
from tests.committee.cli.yard import make, typed


def test_an_address_where_nobody_listens_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
        address, _ = seat_checks(hosted(base_url=url), {}, None, no_connection)
        assert address[1] and "somebody listens there" in address[2]
    address, _ = seat_checks(hosted(base_url=url), {}, None, no_connection)
    assert not address[1] and "no connection to 127.0.0.1:" in address[2] and "correct `base_url`" in address[2]
    address, _ = seat_checks(hosted(base_url=url), {"HTTP_PROXY": "http://p:1"}, None, no_connection)
    assert address[1] and "not tried, as a proxy" in address[2]


def test_doctor_points_at_targets_that_are_drafts(tmp_path: Path) -> None:
    ws = make(tmp_path / "ws")
    (ws / "targets" / "draft.toml").write_text("# DECIDE\nschema = 1\n")
    said = typed(ws, "committee", "doctor")
    assert said.code == 1 and "LOOK  targets: 1 of 3 cannot be used yet; `harness doctor` says which" in said.out
