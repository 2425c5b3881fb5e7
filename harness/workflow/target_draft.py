"""The text of a target's file for a server that was found in a script: a draft that loads, with what is left to decide.

A line that begins with `# DECIDE` is a question that only a person can answer. Figures that nobody measured are said
to be guesses.
"""

import json
import re

from harness.vocabulary.base import Scalar
from harness.vocabulary.target import SECRET_ENV
from harness.workflow.adopt import LOOPBACK, Found

USER_FLAGS = ("max-num-seqs", "parallel", "n-parallel")  # how many the server takes at once
READY = {
    "vllm": (
        "GPU KV cache size",
        1200,
        "vLLM says it when the model is loaded and its cache fits; the harness then waits for its port as well.",
    ),
    "llamacpp": (r"listening on (?P<url>http://\S+)", 600, "The address is read from the server's own line."),
    "command": ("listening|startup complete|ready", 600, "DECIDE: which line of ITS OWN log says that it is ready?"),
}
MARKERS = {"vllm": r"GPU KV cache size: [\d,]+ tokens", "llamacpp": "model loaded$"}
BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def draft(found: Found, name: str, script: str) -> str:
    """The whole file. `script` is the script's name, for the first line."""
    parts = (
        _head(found, name, script),
        _baseline(found),
        _endpoint(found),
        _ready(found),
        _limits(found),
    )
    return "\n".join("\n".join(part) + "\n" for part in parts)


def _head(found: Found, name: str, script: str) -> list[str]:
    users = next((value for flag, value in found.flags if flag in USER_FLAGS and isinstance(value, int)), None)
    recorded = ["PATH", "HOME", "LANG", *(key for key, _ in found.env if not SECRET_ENV.search(key))]
    return [
        f"# Drafted from line {found.line} of {_plain(script)}; nothing was run. Read every line before you use it.",
        *(f"# DECIDE: {_plain(sentence)}" for sentence in found.decide),
        "schema = 1",
        f"name = {_text(name)}",
        'title = ""  # DECIDE: one line for people',
        f"adapter = {_text(found.engine)}",
        f"users = {users or 1}  # {'what it takes at once; ' if users else ''}DECIDE: for how many is it designed?",
        f"recorded_env = {_list(recorded)}",
    ]


def _baseline(found: Found) -> list[str]:
    lines = ["[baseline]", f"command = {_list(found.command)}", "", "[baseline.flags]"]
    if found.engine == "command":
        lines.append('port = "{port}"  # arms get a port of their own here')
    lines += [f"{_key(flag)} = {_scalar(value)}" for flag, value in found.flags]
    if found.alias:
        lines.append(
            f"# The script serves the model as {_plain(found.alias)!r}; under the harness production serves it as "
            "'production', and whoever asks by name must use that."
        )
    lines += ["", "[baseline.env]", *(f"{_key(name)} = {_text(value)}" for name, value in found.env)]
    lines += [
        f"# DECIDE: {_plain(name)} is a secret and was not copied; set {_where(name)} by hand if needed"
        for name in found.secrets
    ]
    lines += [
        "",
        "# DECIDE: name a proof that the baseline runs as described (docs/targets.md), for example",
        "# [[baseline.witness]]",
        '# source = "log"',
        "# pattern = 'a line of its own log'",
    ]
    return lines


def _endpoint(found: Found) -> list[str]:
    port = found.port if found.port is not None else 0
    note = "production's port; arms get another one" if found.port is not None else "DECIDE: production's port"
    return [
        "[endpoint]",
        *([f"host = {_text(found.host)}"] if found.host != LOOPBACK[0] else []),
        f"port = {port}  # {note}",
        'api = "chat"  # DECIDE: "chat", or "completions" for a base model',
    ]


def _ready(found: Found) -> list[str]:
    pattern, timeout_s, why = READY[found.engine]
    lines = [
        "[ready]",
        f"# {why}",
        f"pattern = {_text(pattern)}  # DECIDE: check it against a log of yours",
        f"timeout_s = {timeout_s}  # a guess",
        "",
    ]
    if found.engine in MARKERS:
        lines += [
            "[[armed]]",
            f"marker = {_text(MARKERS[found.engine])}",
            "count = 1  # DECIDE: how often it stands in a good log of yours (grep -c); forks print other words",
        ]
    return lines


def _limits(found: Found) -> list[str]:
    return [
        "[allowed_flags]",
        "# DECIDE: what an arm may change; nothing may be changed that is not listed. For example",
        *(
            f'# {_key(flag)} = {{ type = "int", min = 1, max = {2 * value} }}'
            for flag, value in found.flags
            if isinstance(value, int) and not isinstance(value, bool) and value > 0
        ),
        "",
        "[teardown]",
        "grace_s = 60  # a guess, like the next two",
        "memory_slack_mib = 4096",
        "memory_timeout_s = 180",
        "",
        "[planning]",
        "launch_sd_pct = 5  # DECIDE: spread between launches; a guess until this server was measured",
        "start_s = 300  # DECIDE: seconds of one start; downtime is planned with it",
        "user_tok_s = 20  # DECIDE: tokens a second of a single user",
    ]


def _where(name: str) -> str:
    """Every flag is recorded and no variable is unless it is listed, so a flag's secret goes into a variable."""
    return "the engine's variable for it here (flags are recorded)" if name.startswith("--") else "it here"


def _scalar(value: Scalar) -> str:
    return json.dumps(value) if isinstance(value, bool | int | float) else _text(value)


def _text(value: str) -> str:
    """A TOML basic string: JSON's escapes are among TOML's, and DEL is the one control code that JSON lets through."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _list(values: list[str] | tuple[str, ...]) -> str:
    return f"[{', '.join(map(_text, values))}]"


def _key(name: str) -> str:
    return name if BARE_KEY.fullmatch(name) else _text(name)


def _plain(text: str) -> str:
    """Words inside a comment: one line without control codes."""
    return "".join(char if char.isprintable() else " " for char in text)
