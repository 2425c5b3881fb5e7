"""Flags that hold secrets, by their names, and where what they say belongs instead."""

import re

# By whole words: `max-num-batched-tokens` is no token, `cache-type-k` no key.
SECRET_FLAG = re.compile(
    r"(^|[-.])((api|ssl|tls)-?keys?|keys?|keyfile|secrets?|passw(or)?d|passphrase|credentials?)([-.]|$)"
    r"|(^|[-.])token([-.](file|path))?$"
)
OF_SERVER = re.compile(r"^api-?keys?(-file)?$|^(ssl|tls)[-.]")  # what a server asks its users for


def instead_of_secret(flag: str) -> str:
    """What is wrong with a flag that looks like a secret, and what to do."""
    if OF_SERVER.search(flag):
        return (
            "makes the server ask its users for a key or for TLS, and the harness asks without either; leave both to "
            "the proxy in front of the server"
        )
    return (
        "looks like a secret, and every flag is recorded; put the engine's variable for it into NAME.private.toml "
        "beside this file, which is not recorded and which git does not keep"
    )
