"""The text of a target's file for a server that was found in a script: a draft that loads, with what is left to decide.

A comment with the word DECIDE is a question that only a person can answer, and until it is gone the target cannot be
used. Figures that nobody measured are said to be guesses. No value of a secret stands in it.
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
KEY_OF_SERVER = re.compile(
    r"--api-keys?(-file)?|--(ssl|tls)[-.].*|(VLLM|LLAMA)_API_KEY"
)  # what a server asks its users for
# Sizes that take a card each. Production's own fits its cards; more of them nobody has seen.
CARDS_EACH = re.compile(r"parallel-size|world-size|nproc|(^|-)gpus?$|^([tpde]p|dcp|pcp)(-size)?$")
BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def draft(found: Found, name: str, script: str) -> str:
    """The whole file. `script` is the script's name, for the first line."""
    parts = (
        _head(found, name, script),
        _baseline(found, name),
        _endpoint(found),
        _ready(found),
        _limits(found),
    )
    return "\n".join("\n".join(part) + "\n" for part in parts)


def _head(found: Found, name: str, script: str) -> list[str]:
    users = next((value for flag, value in found.flags if flag in USER_FLAGS and isinstance(value, int)), None)
    own = (key for key, _ in found.env if not SECRET_ENV.search(key))
    recorded = list(dict.fromkeys(("PATH", "HOME", "LANG", *own)))
    return [
        f"# Drafted from line {found.line} of {_plain(script)}; nothing was run. Read every line before you use it.",
        *(f"# Left out: {_plain(sentence)}." for sentence in found.left_out),
        *(f"# DECIDE: {_plain(sentence)}" for sentence in found.decide),
        "schema = 1",
        f"name = {_text(name)}",
        'title = ""  # DECIDE: one line for people',
        f"adapter = {_text(found.engine)}",
        f"users = {users or 1}  # {'what it takes at once; ' if users else ''}DECIDE: for how many is it designed?",
        f"recorded_env = {_list(recorded)}",
    ]


def _baseline(found: Found, name: str) -> list[str]:
    lines = ["[baseline]", f"command = {_list(found.command)}", "", "[baseline.flags]"]
    if found.engine == "command":
        lines.append('port = "{port}"  # arms get a port of their own here')
    lines += [f"{_key(flag)} = {_scalar(value)}" for flag, value in found.flags]
    lines += _served_name(found)
    lines += ["", "[baseline.env]", *(f"{_key(name)} = {_text(value)}" for name, value in found.env)]
    lines += [
        f"# DECIDE: {_plain(secret)} is a secret and was not copied; {_do(secret, name)}" for secret in found.secrets
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
            f'# {_key(flag)} = {{ type = "int", min = 1, max = {_most(flag, value)} }}'
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


def _most(flag: str, value: int) -> int:
    """The largest number that the example allows: room above production's, but no card that may not be there."""
    return value if CARDS_EACH.search(flag) else 2 * value


def _served_name(found: Found) -> list[str]:
    """The name under which users know the model changes: a question, as some of them ask by it."""
    if found.engine == "command" and not found.alias_flag:
        return []  # nothing is added to its command
    before = f"as {_plain(found.alias)!r}" if found.alias_flag else "under the model's own name"
    return [
        *([f'{_key(found.alias_flag)} = "{{alias}}"'] if found.engine == "command" else []),
        f"# DECIDE: the script serves the model {before}, the harness serves production as 'production': who asks by "
        "name has to change, or the proxy in front has to put it in",
    ]


def _do(secret: str, name: str) -> str:
    """Where a secret belongs. The harness asks its servers on loopback and without a key."""
    if KEY_OF_SERVER.fullmatch(secret):
        return "the harness asks without a key and without TLS, so leave it to the proxy in front of the server"
    what = f"the engine's variable for {secret}" if secret.startswith("--") else secret
    return f"if it is needed, set {_plain(what)} in {name}.private.toml beside this file, which git does not keep"


def private_draft(found: Found, name: str) -> str:
    """The text of the file for private variables, empty where the script holds none. No value is copied."""
    names = [secret for secret in found.secrets if not KEY_OF_SERVER.fullmatch(secret)]
    if not names:
        return ""
    lines = [
        "# Variables of production that nobody else may read: never committed, never recorded, never printed.",
        "schema = 1",
        f"target = {_text(name)}",
        "",
        "[env]",
        *(
            f"# DECIDE: the engine's variable for {_plain(secret)}"
            if secret.startswith("--")
            else f'{_key(secret)} = ""  # DECIDE: its value, or take the line away'
            for secret in names
        ),
    ]
    return "\n".join(lines) + "\n"


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
