"""How long fusing takes for many hypotheses: `python -m benchmarks.fuse` prints the table of docs/benchmarks.md.

Made-up reviews, seeded: texts of words of this field, a third of the arms named by others too, a tenth of the texts
retold. Nothing is measured but this machine's time; the median of several runs and their spread are shown.
"""

import argparse
import random
import statistics
import time
from collections.abc import Mapping
from dataclasses import dataclass

from committee.fuse.fuse import fuse
from harness.vocabulary.arm import Arm
from ledger.canonical import digest
from ledger.entries import Hypothesis, Prediction

TEXT = """the cache of keys and values is read once for each token so bandwidth limits decoding while users in one batch
share the weights and the scheduler waits for a chunk of the prompt graphs are captured for few sizes only kernels
launch late memory traffic grows with context occupancy is low because registers spill into local memory"""
WORDS = TEXT.split()
FLAGS = ("n-parallel", "threads", "batch-size", "ubatch-size", "ctx-size", "max-num-seqs", "block-size")
METRICS = ("user_tok_s", "total_tok_s", "ttft_ms")


@dataclass(frozen=True)
class Case:
    """One size and kind of input."""

    name: str
    hypotheses: int
    words: int  # of a mechanism
    loads: int  # different loads predicted at: texts are compared inside one metric and load


CASES = (
    Case("500 of 60 words", 500, 60, 4),
    Case("2,000 of 60 words", 2000, 60, 4),
    Case("2,000 of 60 words, all on one load", 2000, 60, 1),
    Case("2,000 of 300 words", 2000, 300, 4),
    Case("5,000 of 60 words", 5000, 60, 4),
)


def made(case: Case, seed: int) -> list[Hypothesis]:
    """Hypotheses as a review run would record them."""
    drawn = random.Random(seed)
    texts: list[str] = []
    told: list[Hypothesis] = []
    for number in range(case.hypotheses):
        if texts and drawn.random() < 0.1:
            text = drawn.choice(texts).replace("the", "its", 1)
        else:
            text = " ".join(drawn.choice(WORDS) for _ in range(case.words))
        texts.append(text)
        told.append(_one(number, text, drawn, case.loads))
    return told


def _one(number: int, text: str, drawn: random.Random, loads: int) -> Hypothesis:
    direction = drawn.choice(("up", "down"))
    low, high = (5.0, 20.0) if direction == "up" else (-20.0, -5.0)
    metric = drawn.choice(METRICS)
    said = {"metric": metric, "load": 1 + drawn.randrange(loads), "direction": direction}
    prediction = Prediction.model_validate({**said, "low_pct": low, "high_pct": high})
    arm = {"name": f"arm-{number}", "flags": {drawn.choice(FLAGS): drawn.randrange(1, 100)}}
    reviewer = f"r{number // 12:03}"
    from_arm = arm if drawn.random() < 0.8 else None
    return Hypothesis(
        hypothesis=f"review-000000/{reviewer}/{number % 12 + 1}",
        run="review-000000",
        reviewer=reviewer,
        mechanism=text[:2000],
        prediction=prediction,
        prediction_sha256=digest(prediction.model_dump(mode="json")),
        falsifier="it stays",
        citations=(),
        arm=from_arm,
        arm_fingerprint=_fingerprint(arm) if from_arm else None,
        not_runnable=None,
    )


def _fingerprint(arm: Mapping[str, object]) -> str:
    return Arm.model_validate({"schema": 1, **arm}).fingerprint


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    print("| hypotheses | median s | fastest to slowest s | arms | sets of one sentence | contradictions |")
    print("|---|---|---|---|---|---|")
    for case in CASES:
        told = made(case, 1)
        times = []
        for _ in range(repeats):
            begun = time.perf_counter()
            fused = fuse(told, [])
            times.append(time.perf_counter() - begun)
        assert len(fused.hypotheses) == len(told)
        spread = f"{min(times):.2f} to {max(times):.2f}"
        found = f"{len(fused.groups)} | {len(fused.alike)} | {len(fused.contradictions)}"
        print(f"| {case.name} | {statistics.median(times):.2f} | {spread} | {found} |")


if __name__ == "__main__":
    main()
