"""Eight questions that need a tool, the tools that are offered with them, and whether a call is right. Pure data.

A call is right when it names the tool that the question needs, and its arguments are a JSON object that holds every
needed key with a value of the right type. Whether the values are wise is not asked: a small model may round a number.
"""

from dataclasses import dataclass
from typing import Any

from harness.client.record import RequestRecord
from harness.procfs import json_of
from harness.shortened import shortened

SHOWN = 60  # characters of what a model wrote instead of a right call

JSON_TYPES: dict[str, tuple[type, ...]] = {"string": (str,), "number": (int, float), "integer": (int,)}


@dataclass(frozen=True)
class Argument:
    """One needed argument of a tool."""

    name: str
    type: str  # string, number or integer
    about: str


@dataclass(frozen=True)
class Tool:
    """One function that is offered."""

    name: str
    about: str
    needed: tuple[Argument, ...]

    @property
    def schema(self) -> dict[str, Any]:
        """As the chat API takes it."""
        properties = {one.name: {"type": one.type, "description": one.about} for one in self.needed}
        parameters = {"type": "object", "properties": properties, "required": [one.name for one in self.needed]}
        return {
            "type": "function",
            "function": {"name": self.name, "description": self.about, "parameters": parameters},
        }


@dataclass(frozen=True)
class ToolCase:
    """A question and the tool it needs."""

    question: str
    tool: Tool


CASES: tuple[ToolCase, ...] = (
    ToolCase(
        "What is the weather in Lisbon today? Use the tool.",
        Tool("get_weather", "Weather of a city today", (Argument("city", "string", "name of the city"),)),
    ),
    ToolCase(
        "How many euros are 250 dollars? Convert the currency with the tool.",
        Tool(
            "convert_currency",
            "Converts an amount of one currency into another",
            (Argument("amount", "number", "how much"), Argument("target", "string", "currency wanted")),
        ),
    ),
    ToolCase(
        "Remind me to call the plumber in 45 minutes: set a reminder.",
        Tool(
            "set_reminder",
            "Sets a reminder",
            (Argument("text", "string", "what to remind of"), Argument("minutes", "integer", "in so many minutes")),
        ),
    ),
    ToolCase(
        "Find the order with the number AB-1234 and tell me where it is.",
        Tool("find_order", "Finds an order by its number", (Argument("number", "string", "number of the order"),)),
    ),
    ToolCase(
        "Translate 'good morning' with the translator.",
        Tool("translate_text", "Translates a text", (Argument("text", "string", "text to translate"),)),
    ),
    ToolCase(
        "Book a table for 4 people at the restaurant tonight.",
        Tool("book_table", "Books a table at a restaurant", (Argument("people", "integer", "number of people"),)),
    ),
    ToolCase(
        "Search the library for books about lighthouses.",
        Tool("search_library", "Searches the library's catalogue", (Argument("words", "string", "words to search"),)),
    ),
    ToolCase(
        "Switch the heating of the kitchen to 21 degrees.",
        Tool(
            "set_heating",
            "Sets the heating of a room",
            (Argument("room", "string", "name of the room"), Argument("degrees", "number", "temperature")),
        ),
    ),
)


def offered(index: int) -> tuple[Tool, ...]:
    """The right tool of a case between two others, in an order that differs from case to case."""
    tools = [CASES[(index + step) % len(CASES)].tool for step in (0, 2, 5)]
    turn = index % len(tools)
    return tuple(tools[turn:] + tools[:turn])


def fault(case: ToolCase, record: RequestRecord) -> str | None:
    """Why the answer is not the right call, in words; none if it is."""
    if record.reason is not None:
        return record.detail
    if len(record.tool_calls) != 1:
        said = shortened(" ".join(record.text.split()), SHOWN)
        return f"{len(record.tool_calls)} calls where one was due, and the text {said!r}"
    call = record.tool_calls[0]
    if call.name != case.tool.name:
        return f"it called {call.name!r} where {case.tool.name!r} was due"
    try:
        arguments = json_of(call.arguments)
    except ValueError:
        return f"the arguments are no JSON: {shortened(call.arguments, SHOWN)!r}"
    if not isinstance(arguments, dict):
        return f"the arguments are no JSON object: {shortened(call.arguments, SHOWN)!r}"
    for one in case.tool.needed:
        value = arguments.get(one.name)
        if not isinstance(value, JSON_TYPES[one.type]) or isinstance(value, bool):
            return f"argument {one.name!r} is {value!r}, not of type {one.type}"
    return None
