"""Tool calls need the switch, the parser and, in llama.cpp, the template engine."""

from harness.rules.rule import LLAMACPP, VLLM, Finding, Rule, Setup, fault


def _look(setup: Setup) -> tuple[Finding, ...]:
    if setup.engine == LLAMACPP:
        if setup.has("chat-template-file") and not setup.has("jinja"):
            return fault("a chat template file without `jinja` is not run: tool calls come back as text; add jinja")
        return ()
    switch, parser = setup.has("enable-auto-tool-choice"), setup.has("tool-call-parser")
    if switch == parser:
        return ()
    missing, given = (
        ("tool-call-parser", "enable-auto-tool-choice")
        if switch
        else (
            "enable-auto-tool-choice",
            "tool-call-parser",
        )
    )
    return fault(f"{given} is given without {missing}: the server refuses to start or answers calls as text; add it")


RULE = Rule("switch and parser of tool calls come together", frozenset({VLLM, LLAMACPP}), _look)
