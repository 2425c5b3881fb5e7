"""A disk that fills up while answers are on their way: they are put on record all the same, and not asked for again."""

import asyncio
import resource
import sys
import tempfile
from pathlib import Path

import pytest

from committee.review.ask import ask
from committee.review.call import call
from committee.review.lines import Lines
from committee.review.order import Edge, Order
from committee.review.received import Received
from committee.review.room import Room, kept_room
from committee.review.rounds import without_comments
from committee.testing.misbehaving import Misbehaving, misbehaving
from committee.workflow.graph import resume, start
from harness.vocabulary.base import BadFileError
from ledger.entries import Attempt, Brief, Response, ReviewRun
from ledger.errors import LedgerError
from tests.committee.review.sitting import RUN, config, openai, seat, sitting
from tests.committee.workflow.office import PROPOSAL, office
from tests.full_disk import fill

PROJECT = Path(__file__).parents[3]
DISK_MIB = 40  # the room that is kept takes 16
WHOLE = "NOTHING WAS PAID TWICE"


def test_room_is_given_up_once_and_not_promised_where_there_is_none(tmp_path: Path) -> None:
    with kept_room(tmp_path / "new", 4096) as room:
        before = room.kept, list((tmp_path / "new").iterdir())
        room.give_up()
        assert (before, room.kept) == ((True, []), False), "and it has no name"
    (tmp_path / "file").write_text("no folder")
    with kept_room(tmp_path / "file") as none:
        assert not none.kept


async def test_without_room_nobody_is_asked(server: Misbehaving, tmp_path: Path) -> None:
    settings = config(openai("glm", "good", server.base_url))
    async with sitting(tmp_path, settings, room=Room(None)) as sat:
        with pytest.raises(BadFileError, match=f"there is no room of 16 MiB .* nobody is asked; .*resume {RUN}"):
            await ask(sat, seat(settings, "glm"))
        assert sat.shared.ledger.of(Attempt) == []
    assert server.models == []


async def test_what_stops_a_later_round_is_said_as_itself(server: Misbehaving, tmp_path: Path) -> None:
    settings = config(openai("ada", "good+a", server.base_url), openai("bob", "good+b", server.base_url))
    async with sitting(tmp_path, settings, room=Room(None)) as sat:
        with pytest.raises(BadFileError, match="there is no room"):
            await without_comments(sat, sat.shared.ledger.of(ReviewRun, run=RUN)[0][1])


class Freed(Room):
    """Room whose giving up makes room: the limit of files that stands for a full disk is lifted."""

    def give_up(self) -> None:
        super().give_up()
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


async def test_an_answer_that_cannot_be_recorded_is_recorded_in_the_room(server: Misbehaving, tmp_path: Path) -> None:
    async def answered_on_a_full_disk(order: Order, edge: Edge, lines: Lines) -> Received:
        received = await call(order, edge, lines)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1, resource.RLIM_INFINITY))
        return received

    settings = config(openai("glm", "good", server.base_url))
    freed = Freed(tempfile.TemporaryFile(dir=tmp_path))  # noqa: SIM115 - the room closes it
    async with sitting(tmp_path, settings, room=freed, caller=answered_on_a_full_disk) as sat:
        try:
            with pytest.raises(LedgerError, match=r"disk (is|may be) full"):
                await ask(sat, seat(settings, "glm"))
        finally:
            freed.give_up()
        assert [answer.attempt for _, answer in sat.shared.ledger.of(Response)] == [f"{RUN}/glm/1"]


@pytest.mark.system
async def test_answers_that_come_when_the_disk_is_full_are_kept(tmp_path: Path) -> None:
    mount = f'mount -t tmpfs -o size={DISK_MIB}m none "$1" && exec "$2" -m {__spec__.name} "$1"'
    process = await asyncio.create_subprocess_exec(
        *("unshare", "--map-root-user", "--mount", "sh", "-ec", mount, "sh", str(tmp_path), sys.executable),
        cwd=PROJECT,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    async with asyncio.timeout(120):
        words, _ = await process.communicate()
    assert (process.returncode, words.decode().splitlines()[-1:]) == (0, [WHOLE]), words.decode()


async def fill_while_asking(folder: Path) -> None:
    """On a small disk of its own: fill it while two answers are on their way, make room, go on."""
    ballast = folder / "ballast"
    async with misbehaving() as server:
        settings = config(openai("ada", "hold+a", server.base_url), openai("bob", "hold+b", server.base_url))
        with office(folder, settings) as desk:
            asking = asyncio.ensure_future(start(desk, PROPOSAL))
            async with asyncio.timeout(60):
                while len(server.models) < len(settings.reviewer):  # noqa: ASYNC110 - the server counts, nobody signals
                    await asyncio.sleep(0.05)
            fill(ballast)
            server.released.set()
            with pytest.raises(LedgerError, match=r"disk (is|may be) full"):
                await asking
            assert len(desk.ledger.of(Response)) == len(desk.ledger.of(Attempt)) == 2
            run = desk.ledger.of(ReviewRun)[0][1].run
            fill(ballast)
            with pytest.raises((BadFileError, LedgerError)):
                await resume(desk, run)
            ballast.unlink()
            assert (await resume(desk, run)).exit_code == 0
            assert len(desk.ledger.of(Brief)) == 1
        assert sorted(server.models) == ["hold+a", "hold+b"], "each was asked once"


if __name__ == "__main__":
    asyncio.run(fill_while_asking(Path(sys.argv[1])))
    sys.stdout.write(f"{WHOLE}\n")
