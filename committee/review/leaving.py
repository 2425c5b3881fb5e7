"""What leaves the machine with an order, looked over before. The proposal's files were scanned by its check already."""

import json
from collections.abc import Sequence

from committee.proposals.secrets import kinds_in
from committee.review.openai_call import SENT_HEADERS, request_of
from committee.review.order import Order


def secret_leaving(orders: Sequence[Order], target: str) -> str:
    """One sentence, without the find, where an order looks like it holds a secret beside the files; else empty."""
    for order in orders:
        kinds = kinds_in(f"{order.around}\n{json.dumps(dict(order.schema), indent=0)}")
        if kinds:
            return (
                f"what {order.reviewer.name!r} would be sent looks like it holds a secret ({', '.join(kinds)}); "
                f"look at target {target!r} and the proposal's title and question, take it out, change that secret"
            )
    return ""


def said_beside_prompt(order: Order) -> str:
    """What goes with the prompt, for a person to read before anything is sent."""
    if order.reviewer.kind == "command":
        paths = ", ".join(path for path, _content in order.files)
        return f"with it, in a folder of its own: {paths}"
    request = {key: value for key, value in request_of(order).items() if key != "messages"}
    body = json.dumps(request, ensure_ascii=False)
    return f"with it, in the request's body:\n{body}\nand the headers: {', '.join(SENT_HEADERS)}"
