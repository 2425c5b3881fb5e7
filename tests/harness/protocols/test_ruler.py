"""Labels of prompts are the server's own counts."""

from harness.client.stream import Door, connections
from harness.protocols.ruler import Ruler, measure_ruler, off_label, ruler_of, rulerless
from harness.vocabulary.outcome import Reason
from tests.harness.client.test_stream import sampling
from tests.harness.protocols.streams import stream
from tests.harness.small_server import Behaviour, serving


def test_words_for_so_many_tokens() -> None:
    ruler = ruler_of(stream(0, 1, prompt=130), stream(0, 1, prompt=630))
    assert ruler == Ruler(5, 1.25)
    assert ruler.words(1005) == 800
    assert ruler.words(1) == 1


def test_a_prompt_that_is_not_as_long_as_its_label() -> None:
    assert off_label(stream(0, 1, prompt=1050), 1000) is None
    assert off_label(stream(0, 1, prompt=80), 64) is None
    assert off_label(stream(0, 1, prompt=26_000), 128_000) == (
        "the server counted 26000 prompt tokens where 128000 were meant"
    )
    assert off_label(stream(0, 1, prompt=81), 64) is not None


async def test_a_server_that_counts_every_prompt_alike_gives_no_ruler() -> None:
    async with serving(Behaviour()) as url, connections() as client:  # always five prompt tokens
        measured = await measure_ruler(client, Door(url, "completions", "m", sampling), 1, 10)
    assert measured.ruler is None and len(measured.asked) == 2
    found = rulerless(measured)
    assert (found.reason, found.metrics, len(found.records)) == (Reason.WRONG_LENGTH, (), 2)


async def test_a_failed_measuring_document_is_the_reason() -> None:
    async with serving(Behaviour(mode="status-500")) as url, connections() as client:
        measured = await measure_ruler(client, Door(url, "completions", "m", sampling), 1, 10)
    assert rulerless(measured).reason is Reason.BAD_STATUS and len(measured.asked) == 1
