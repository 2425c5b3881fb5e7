"""From a brief's arms to an order for the bench. Every arm of the brief goes in; no reviewer's order is kept."""

from collections.abc import Mapping

from committee.vocabulary.proposal import LoadedProposal
from harness.vocabulary.arm import Arm
from harness.vocabulary.target import Target
from harness.workflow.order import ArmOrder, Order


def make_order(  # one argument a fact that the order must fix
    run: str,
    proposal: LoadedProposal,
    tree: str,
    target: tuple[Target, str],
    arms: Mapping[str, tuple[Arm, tuple[str, ...]]],
    seed: int,
) -> Order:
    """The order of one measuring run. `arms` maps fingerprints to an arm and its origins.

    Raises BadFileError with one sentence when the target does not allow an arm or nothing is left to measure.
    """
    known, target_sha256 = target
    ordered = sorted(arms.values(), key=lambda item: (item[0].name, item[0].fingerprint))
    return Order.from_mapping(
        {
            "run": run,
            "target": known,
            "target_sha256": target_sha256,
            "criteria": proposal.criteria,
            "arms": tuple(ArmOrder(arm=arm, origins=origins) for arm, origins in ordered),
            "seed": seed,
            "proposal": proposal.header.id,
            "tree": tree,
        },
        f"the order for {proposal.header.id!r}",
    )
