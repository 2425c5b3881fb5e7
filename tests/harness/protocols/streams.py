"""Records of requests with known times, for the pure half of every protocol."""

from harness.client.record import RequestRecord
from harness.vocabulary.outcome import Reason
from ledger.entries import Metric

TEXT = (
    "The keeper of the old lighthouse wrote every morning what ships had passed, which birds rested on the gallery, "
    "how much oil was left and whether the fog signal had sounded. After forty years his books filled a whole room, "
    "and people came from distant towns to look up storms that their grandparents had told them about so often. "
    "Nobody knew the weather of that coast better than he did, although he had never once left it."
)


def stream(
    send: float, first: float, step_s: float = 0.1, events: int = 11, prompt: int = 0, text: str = TEXT
) -> RequestRecord:
    """An answer with one token every `step_s` seconds."""
    stamps = tuple(first + index * step_s for index in range(events))
    return RequestRecord(
        t_send=send,
        t_end=stamps[-1],
        text=text,
        stamps=stamps,
        prompt_tokens=prompt,
        tokens=events,
        finish_reason="length",
    )


def failure(send: float = 0.0, end: float = 1.0, reason: Reason = Reason.REQUEST_FAILED) -> RequestRecord:
    """A request that did not end well."""
    return RequestRecord(t_send=send, t_end=end, reason=reason, detail="the sentence")


def values(metrics: tuple[Metric, ...]) -> dict[tuple[str, int], float]:
    """Metrics by name and load."""
    return {(metric.metric, metric.load): metric.value for metric in metrics}
