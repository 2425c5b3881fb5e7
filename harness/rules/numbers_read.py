"""A number that the rules cannot read is said, or their silence would be taken for their consent."""

from harness.rules.rule import LLAMACPP, VLLM, Finding, Rule, Setup, caution

LONGEST = 40  # characters of a value that are shown
READ = {  # the flags with whose numbers other rules compute
    VLLM: (
        "max-model-len",
        "max-num-batched-tokens",
        "max-num-seqs",
        "long-prefill-token-threshold",
        "tensor-parallel-size",
    ),
    LLAMACPP: ("ctx-size", "parallel", "n-parallel"),
}


def _look(setup: Setup) -> tuple[Finding, ...]:
    unread = [flag for flag in READ.get(setup.engine, ()) if setup.has(flag) and setup.number(flag) is None]
    return tuple(
        finding
        for flag in unread
        for finding in caution(
            f"not looked at: {flag} is no whole number ({setup.said(flag)[:LONGEST]!r}), so no rule computes with it; "
            "write its digits alone, as 65536"
        )
    )


RULE = Rule("numbers that other rules compute with can be read", frozenset({VLLM, LLAMACPP}), _look)
