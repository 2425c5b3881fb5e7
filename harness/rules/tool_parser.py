"""Tool calls need the switch, the parser and, in llama.cpp, the template engine."""

from harness.rules.rule import LLAMACPP, VLLM, Finding, Rule, Setup, caution, fault


def _look(setup: Setup) -> tuple[Finding, ...]:
    if setup.engine == LLAMACPP:
        return _template(setup)
    switch, parser = setup.has("enable-auto-tool-choice"), setup.has("tool-call-parser")
    if switch and not parser:
        return fault("enable-auto-tool-choice is given without tool-call-parser: the server refuses to start; add it")
    if parser and not switch:
        return fault(
            "tool-call-parser is given without enable-auto-tool-choice: a request that leaves the choice to the model "
            "is refused or answered as text; add it"
        )
    return ()


def _template(setup: Setup) -> tuple[Finding, ...]:
    """A template's engine is on by default since late 2025; before, a template file alone was not run."""
    if not setup.has("chat-template-file") or setup.has("jinja"):
        return ()
    if setup.has("no-jinja"):
        return fault("a chat template file with no-jinja is not run: tool calls come back as text; leave no-jinja out")
    return caution(
        "a chat template file without jinja is run by builds from late 2025 on only; with an older one tool calls come "
        "back as text; add jinja"
    )


RULE = Rule("switch and parser of tool calls come together", frozenset({VLLM, LLAMACPP}), _look)
