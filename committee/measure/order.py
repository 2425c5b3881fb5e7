"""From a brief's arms to an order for the bench. Every arm of the brief goes in; no reviewer's order is kept."""

from collections.abc import Sequence

from committee.vocabulary.proposal import LoadedProposal
from harness.vocabulary.target import Target
from harness.workflow.order import ArmOrder, Order


def make_order(  # one argument a fact that the order must fix
    run: str,
    proposal: LoadedProposal,
    tree: str,
    target: tuple[Target, str],
    arms: Sequence[ArmOrder],
    seed: int,
) -> Order:
    """The order of one measuring run; an arm that is code carries the name of the person who said yes.

    Raises BadFileError with one sentence when the target does not allow an arm or nothing is left to measure.
    """
    known, target_sha256 = target
    return Order.from_mapping(
        {
            "run": run,
            "target": known,
            "target_sha256": target_sha256,
            "criteria": proposal.criteria,
            "arms": tuple(sorted(arms, key=lambda item: (item.arm.name, item.arm.fingerprint))),
            "seed": seed,
            "proposal": proposal.header.id,
            "tree": tree,
        },
        f"the order for {proposal.header.id!r}",
    )
