"""What the ledger's benchmarks record: entries in the mixture of a measuring run, with made-up figures."""

from collections.abc import Iterator

from ledger import entries as e

TARGET, ARM = "bench-target", "a" * 64
RUN = "m-20261129-bench"
LOADS = (1, 2, 4)


def mixture(count: int, first: int = 0) -> Iterator[e.Payload]:
    """Of ten entries one launch, four gates, four trials of three metrics each, one verdict with two trials."""
    for number in range(first, first + count):
        launch, place = f"{RUN}/{number // 10}/1", number % 10
        if place == 0:
            yield _launch(launch, number)
        elif place <= 4:
            yield e.Gate(
                launch=launch, run=RUN, gate="ready", passed=True, reason=None, evidence=f"listening after {number} ms"
            )
        elif place <= 8:
            metrics = tuple(
                e.Metric(metric="total_tok_s", load=load, value=60.0 + load + number % 997 / 7, samples=2)
                for load in LOADS
            )
            yield e.Trial(launch=launch, run=RUN, protocol="ladder", metrics=metrics, reason=None, detail="")
        else:
            yield _verdict(number)


def _launch(launch: str, number: int) -> e.Launch:
    return e.Launch(
        launch=launch, run=RUN, target=TARGET, block=number // 40, attempt=1, position=number // 10 % 4, role="arm",
        arm=ARM, argv=("server", "--n-parallel", "4", "--port", "8080"), env=(("OMP_NUM_THREADS", "2"),), pid=4711,
        start_time=9_000_000 + number, ready_s=2.25, log=None, outcome="ran", reason=None, detail="",
    )  # fmt: skip


def _verdict(number: int) -> e.Verdict:
    interval = e.Interval(
        estimate_pct=number % 89 / 7, low_pct=-3.5, high_pct=16.25, level=0.0125, launch_sd_pct=4.7,
        degrees_of_freedom=12, pooled=True,
    )  # fmt: skip
    return e.Verdict(
        run=RUN, target=TARGET, arm=ARM, arm_name=f"arm-{number % 50}", metric="total_tok_s", load=4, primary=True,
        validity="VALID", reasons=(), speed="AMBIGUOUS", numerics="IDENTICAL", interval=interval,
        smallest_effect_pct=10.0, blocks=4, placebo_low_pct=-3.5, placebo_high_pct=4.25, visible_effect_pct=9.0,
        more_blocks=3, more_server_minutes=12.5, trials=("b" * 64, "c" * 64),
    )  # fmt: skip
