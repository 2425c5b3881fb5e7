"""What a picture adds to the prompt, and that the picture is one."""

import zlib

import pytest

from harness.protocols.picture import data_url, png
from harness.protocols.vision import outcome
from harness.vocabulary.outcome import Reason
from tests.harness.protocols.streams import failure, stream, values


def test_tokens_of_pictures_are_told_without_the_question() -> None:
    seen = values(
        outcome([stream(0, 1, prompt=20), stream(0, 2, prompt=101), stream(0, 3, prompt=1123)], (96, 448)).metrics
    )
    assert (seen["vision_tokens@96", 1], seen["vision_tokens@448", 1]) == (81, 1103)
    assert seen["ttft_ms@448", 1] == pytest.approx(3000)


@pytest.mark.parametrize(
    ("records", "reason"),
    [
        ([stream(0, 1, prompt=20), stream(0, 1, prompt=20)], Reason.IMAGE_IGNORED),
        ([stream(0, 1, prompt=20), failure()], Reason.REQUEST_FAILED),
        ([failure()], Reason.REQUEST_FAILED),
    ],
)
def test_a_picture_that_nobody_looked_at(records: list[object], reason: Reason) -> None:
    found = outcome(records, (96,))  # type: ignore[arg-type]
    assert (found.metrics, found.reason) == ((), reason)


def test_the_picture_is_a_png_of_its_size_and_like_no_other() -> None:
    picture = png(1, "vision", 64)
    assert picture.startswith(b"\x89PNG\r\n\x1a\n") and picture.endswith(b"IEND\xaeB`\x82")
    assert (int.from_bytes(picture[16:20], "big"), int.from_bytes(picture[20:24], "big")) == (64, 64)
    begin = picture.index(b"IDAT")
    size = int.from_bytes(picture[begin - 4 : begin], "big")
    assert len(zlib.decompress(picture[begin + 4 : begin + 4 + size])) == 64 * (1 + 3 * 64)
    assert png(1, "vision", 64) == picture and png(2, "vision", 64) != picture
    assert data_url(picture).startswith("data:image/png;base64,iVBOR")
