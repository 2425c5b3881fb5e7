"""Runs a review with a second look in a process of its own, for a test that kills it: FOLDER BASE_URL."""

import asyncio
import sys
from pathlib import Path

from committee.vocabulary.config import CommitteeConfig
from committee.workflow.graph import start
from committee.workflow.state import Stage
from tests.committee.review.sitting import config, openai
from tests.committee.workflow.office import PROPOSAL, office


def settings(base_url: str) -> CommitteeConfig:
    """Three reviewers, of whom one is held in its second look."""
    models = (("ada", "refuter"), ("bob", "holder"), ("cyd", "sober"))
    made = config(*(openai(name, model, base_url) for name, model in models), quorum=3)
    return made.model_copy(update={"review": made.review.model_copy(update={"second_look": True})})


async def main(folder: Path, base_url: str) -> None:
    """Start a run up to its brief."""
    with office(folder, settings(base_url)) as desk:
        await start(desk, PROPOSAL, Stage.BRIEF)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
