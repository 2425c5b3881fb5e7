"""The example that a prompt shows, in each shipped language: about another server, there to show the form only."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from committee.vocabulary.language import Language


@dataclass(frozen=True)
class Example:
    """The words of the example that are written in a language."""

    mechanism: str
    falsifier: str
    title: str  # of its arm


EXAMPLES: Mapping[Language, Example] = MappingProxyType(
    {
        Language.EN: Example(
            "Prompts longer than one chunk are cut and wait for the next step.",
            "The time to first token of a long prompt stays within 5 percent.",
            "one chunk",
        ),
        Language.ZH_TW: Example(
            "超過一段的提示會被切開，等到下一步才處理。",
            "長提示的首詞元時間變化不到百分之五。",
            "一段處理完",
        ),
    }
)


def example_answer(language: Language) -> str:
    """The whole example, one line of JSON."""
    said = EXAMPLES[language]
    hypothesis = {
        "mechanism": said.mechanism,
        "predicted": {"metric": "ttft_ms", "load": 1, "direction": "down", "low_pct": -30, "high_pct": -10},
        "falsifier": said.falsifier,
        "citations": [{"file": "PROPOSAL.md", "line": 3, "quote": "chunk of 512"}],
        "arm": {
            "name": "chunk-2048",
            "title": said.title,
            "flags": {"prefill-chunk": 2048},
            "env": {},
            "witness": [{"source": "log", "pattern": "prefill chunk = 2048"}],
        },
    }
    whole = {"nonce": "0f0f0f0f0f0f", "proposal": "0099-example", "count": 1, "hypotheses": [hypothesis]}
    return json.dumps(whole, ensure_ascii=False)
