"""Runs the review of a temporary office in a process of its own, for tests that kill it: FOLDER BASE_URL RUN|new."""

import asyncio
import sys
from pathlib import Path

from committee.workflow.graph import resume, start
from committee.workflow.state import Stage
from tests.committee.review.sitting import config, openai
from tests.committee.workflow.office import PROPOSAL, office


async def main(folder: Path, base_url: str, run: str) -> None:
    """Start or take up a review up to its brief."""
    settings = config(
        openai("quick", "good", base_url), openai("slow", "hold", base_url), openai("odd", "empty", base_url)
    )
    with office(folder, settings) as desk:
        await (start(desk, PROPOSAL, Stage.BRIEF) if run == "new" else resume(desk, run, Stage.BRIEF))


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2], sys.argv[3]))
