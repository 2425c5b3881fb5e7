"""A draft model that nobody switched on makes an arm run as the baseline (lesson A8)."""

from harness.rules.rule import LLAMACPP, Finding, Rule, Setup, caution, fault

DRAFTS = ("model-draft", "md", "spec-draft-model")


def _look(setup: Setup) -> tuple[Finding, ...]:
    draft = next((flag for flag in DRAFTS if setup.has(flag)), None)
    if draft is not None and setup.said("spec-type", "none") == "none":
        return fault(f"{draft} is given, but spec-type is none, its default: speculation stays off; set spec-type")
    block, asked = setup.known.draft_block, setup.draft_tokens
    if block is not None and asked >= block:
        return caution(
            f"{asked} draft tokens are asked for and the draft model's block is {block}: clamped to {block - 1}"
        )
    if block is not None and asked == 1:
        return caution(f"one draft token with a draft model of blocks of {block}: it is strangled into one slot")
    return ()


RULE = Rule(
    "speculation is switched on and asked for in the draft model's own block size", frozenset({LLAMACPP}), _look
)
