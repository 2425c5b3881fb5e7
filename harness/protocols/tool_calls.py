"""Tool calls: eight cases asked with `auto` and with `required`; either may work per model, and it says which (M13)."""

import json
from collections.abc import Sequence
from statistics import median

from harness.client.record import RequestRecord
from harness.client.stream import Ask, Client, Door, send
from harness.protocols.base import Asked, ProtocolOutcome, Surroundings, invalid, number
from harness.protocols.tool_cases import CASES, fault, offered
from harness.vocabulary.criteria import Criteria
from harness.vocabulary.loads import ToolCalls
from harness.vocabulary.outcome import Metric as Name
from harness.vocabulary.outcome import Reason

MODES = ("auto", "required")
PATH = "/v1/chat/completions"  # the endpoint that takes tools, whatever the target is loaded through


async def tool_calls(
    client: Client, door: Door, criteria: Criteria, _prompt_seed: int, _surroundings: Surroundings
) -> ProtocolOutcome:
    """One request after the other; a failed one is a case that is not right, so both modes are always asked."""
    settings = criteria.tool_calls or ToolCalls()
    records: list[list[RequestRecord]] = []
    for mode in MODES:
        records.append([])
        for index, case in enumerate(CASES):
            extra = json.dumps({"tools": [tool.schema for tool in offered(index)], "tool_choice": mode})
            ask = Ask(
                case.question, settings.tokens, settings.request_timeout_s, exact=False, extra_json=extra, path=PATH
            )
            records[-1].append(await send(client, door, ask))
    return outcome(records, settings.least)


def outcome(records: Sequence[Sequence[RequestRecord]], least: int) -> ProtocolOutcome:
    """What works, or that too little does in either mode; pure. `records` are of `auto` and of `required`."""
    asked = [
        Asked(f"{mode}, case {index}", record)
        for mode, of_mode in zip(MODES, records, strict=True)
        for index, record in enumerate(of_mode)
    ]
    faults = [[fault(case, record) for case, record in zip(CASES, of_mode, strict=True)] for of_mode in records]
    right = [sum(one is None for one in of_mode) for of_mode in faults]
    said = "; ".join(_spoken(mode, count, of_mode) for mode, count, of_mode in zip(MODES, right, faults, strict=True))
    if max(right) < least:
        return invalid(Reason.NO_TOOL_CALL, f"{said}; {least} right ones are needed in one of them", asked)
    times_ms = [
        (record.t_end - record.t_send) * 1000
        for of_mode, why in zip(records, faults, strict=True)
        for record, one in zip(of_mode, why, strict=True)
        if one is None
    ]
    metrics = (
        *number(Name.TOOL_AUTO_OK, 1, [float(right[0])]),
        *number(Name.TOOL_REQUIRED_OK, 1, [float(right[1])]),
        *number(Name.TOOL_CALL_MS, 1, [median(times_ms)]),
    )
    return ProtocolOutcome(metrics, None, "", tuple(one.record for one in asked), findings=(said,))


def _spoken(mode: str, right: int, faults: Sequence[str | None]) -> str:
    first = next((f"case {index}: {why}" for index, why in enumerate(faults) if why is not None), "")
    return f"{mode} {right} of {len(faults)}" + (f" ({first})" if first else "")
