"""Without its own statistics vLLM publishes no counts, and no launch of it can be proven."""

from harness.rules.rule import VLLM, Finding, Rule, Setup, fault

FLAG = "disable-log-stats"


def _look(setup: Setup) -> tuple[Finding, ...]:
    if not setup.has(FLAG) and f"--{FLAG}" not in setup.words:
        return ()
    return fault(
        f"with {FLAG} vLLM publishes no vllm:* counts in /metrics, so nothing proves what a launch computed: each one "
        "would end as no_proof after its whole load, with production down; leave it out"
    )


RULE = Rule("the engine publishes the counts that prove a launch", frozenset({VLLM}), _look)
