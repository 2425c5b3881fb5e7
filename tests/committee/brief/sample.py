"""A brief's input for tests: two reviewers, one left out, one contradiction, one of everything."""

from committee.brief.content import BriefInput, LeftOut, TookPart
from committee.fuse.fuse import fuse
from committee.vocabulary.proposal import ProposalHeader
from harness.vocabulary.arm import Arm
from ledger.entries import Hypothesis
from tests.committee.fuse.sample import make_arm, make_hypothesis, make_prediction

TREE = "9ed54e9d81df06952046a7b3e9fe4f35b1436d62"


def make_header(title: str = "A sample", question: str = "Which flag is real?") -> ProposalHeader:
    """A proposal's header."""
    return ProposalHeader.model_validate(
        {
            "schema": 1,
            "id": "0007-sample",
            "title": title,
            "kind": "config",
            "target": "sample-server",
            "question": question,
            "budget": {"money": 0, "server_minutes": 1},
        }
    )


def make_hypotheses() -> list[Hypothesis]:
    """Opposed on one change, one without an arm, one whose arm is denied."""
    return [
        make_hypothesis("ada", 1, make_arm("kv-q8", cache_type_k="q8_0"), make_prediction("up")),
        make_hypothesis("bob", 1, make_arm("quantised-keys", cache_type_k="q8_0"), make_prediction("down")),
        make_hypothesis("ada", 2, None),
        make_hypothesis("bob", 2, make_arm("far", host="0.0.0.0"), not_runnable="flag 'host' is not listed"),
    ]


def make_input(hypotheses: list[Hypothesis] | None = None) -> BriefInput:
    """Everything a brief is rendered from."""
    mine = Arm.model_validate({"schema": 1, "name": "mine", "flags": {"threads": 1}})
    return BriefInput(
        header=make_header(),
        tree=TREE,
        quorum=2,
        took_part=(TookPart("bob", "recorded"), TookPart("ada", "live")),
        left_out=(LeftOut("agent", "could_not_start", "no such program"),),
        fused=fuse(make_hypotheses() if hypotheses is None else hypotheses, [mine]),
    )
