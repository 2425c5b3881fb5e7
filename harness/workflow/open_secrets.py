"""Secrets that stand openly in a target's file, which git keeps, instead of in its private file. Names only, pure."""

from collections.abc import Callable, Iterator

from harness.vocabulary.target import SECRET_ENV, Target
from harness.workflow.script_secrets import NO_SECRET_NAME, SHORTEST_SECRET, looks_secret


def open_secrets(target: Target, looks: Callable[[str], bool] = looks_secret) -> str:
    """One sentence that names them and the private file, empty where there are none. `looks` judges a value."""
    found = ", ".join(_found(target, looks))
    if not found:
        return ""
    name = target.name
    return (
        f"{found} in 'targets/{name}.toml' looks like a secret, and git keeps that file; write it as a variable into "
        f"'targets/{name}.private.toml', take it out of git too, and change that secret"
    )


def _found(target: Target, looks: Callable[[str], bool]) -> Iterator[str]:
    baseline = target.baseline
    for name, value in baseline.env.items():
        if name not in baseline.private and (_named_so(name, value) or looks(value)):
            yield f"variable {name}"
    for flag, setting in baseline.flags.items():
        if isinstance(setting, str) and looks(setting):
            yield f"flag {flag}"
    if any(looks(word) for word in baseline.command):
        yield "the command"


def _named_so(name: str, value: str) -> bool:
    """Whether the name says so and the value can be one: no number, no path, no short word such as a switch."""
    meant = SECRET_ENV.search(name) and not NO_SECRET_NAME.search(name)
    return (
        bool(meant) and len(value) >= SHORTEST_SECRET and not value.isdigit() and not value.startswith(("/", "~", "."))
    )
