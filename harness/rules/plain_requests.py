"""The harness asks its servers on loopback, without a key and without TLS; one that wants either answers none of it."""

from harness.rules.rule import LLAMACPP, VLLM, Finding, Rule, Setup, fault

KEYS = ("VLLM_API_KEY", "LLAMA_API_KEY")
KEY_FLAGS = ("api-key", "api-keys", "api-key-file")
TLS_FLAGS = ("ssl-certfile", "ssl-keyfile", "ssl-cert-file", "ssl-key-file")


def _look(setup: Setup) -> tuple[Finding, ...]:
    keys = [name for name in KEYS if setup.env.get(name)] + _given(setup, KEY_FLAGS)
    tls = _given(setup, TLS_FLAGS)
    return (
        *(
            fault(
                f"with {keys[0]} the server refuses whoever names no key, and the harness names none: no launch would "
                "pass its gates; leave keys to the proxy in front of the server"
            )
            if keys
            else ()
        ),
        *(
            fault(
                f"with {tls[0]} the server answers over TLS only, and the harness asks it over plain HTTP on its own "
                "machine: no launch would pass its gates; leave TLS to the proxy in front of the server"
            )
            if tls
            else ()
        ),
    )


def _given(setup: Setup, flags: tuple[str, ...]) -> list[str]:
    said = {word.partition("=")[0] for word in setup.words}
    return [flag for flag in flags if setup.has(flag) or f"--{flag}" in said]


RULE = Rule("the server answers who asks without a key and over plain HTTP", frozenset({LLAMACPP, VLLM}), _look)
