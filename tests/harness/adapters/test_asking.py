"""Reading an engine's own endpoints: what is not there is absent."""

from harness.adapters.asking import get_json, json_object, served_models
from tests.harness.small_server import Behaviour, serving


async def test_models_and_objects_of_a_real_server() -> None:
    async with serving(Behaviour(model="one")) as url:
        assert await served_models(url) == ("one",)
        assert await get_json(url, "/props") == {"total_slots": 4}
        assert await get_json(url, "/nothing") == {}
    assert await served_models(url) == ()


def test_what_is_no_object_is_empty() -> None:
    assert [json_object(text) for text in ("", "[1]", "<html>", "null")] == [{}, {}, {}, {}]
    assert json_object('{"a": 1}') == {"a": 1}
    assert json_object("[" * 100_000) == {} and json_object('{"a": ' + "1" * 10_000 + "}") == {}
