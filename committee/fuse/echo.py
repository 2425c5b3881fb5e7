"""Whether a hypothesis repeats the example of the prompt instead of saying something. Pure."""

from committee.fuse.likeness import likeness_pct
from committee.vocabulary.example import EXAMPLES

# Percent of words in common and in order. The example is about another server, so a copy with a few words changed says
# no more than the whole copy; two people who describe one thing in their own words stay far below.
ECHO_PCT = 80


def echoes_example(mechanism: str) -> bool:
    """Whether this is the example's mechanism in any shipped language, in the same or nearly the same words."""
    return any(likeness_pct(mechanism, example.mechanism) >= ECHO_PCT for example in EXAMPLES.values())
