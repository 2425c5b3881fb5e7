"""Reading an engine's `--help`: names of flags and their defaults. Pure; what is not said stays empty.

The three shapes in use: argparse's and vLLM's `--max-num-seqs N   ... (default: 256)`, llama.cpp's
`-c, --ctx-size N   size (default: 4096, 0 = from model)`, and clap's `[default: 8]`.
"""

import re

OPTION = re.compile(r"^ {0,8}(?:-\w{1,4}(?: [\w\[\]<>{},.|-]+)?, *)*(--[A-Za-z][\w.-]*)")
OTHER_NAMES = re.compile(r"(--[A-Za-z][\w.-]*)")
DEFAULT = re.compile(r"\bdefault(?: value)?[:=] *'?\"?([^,;)\]'\"]*)", re.IGNORECASE)
MAX_DEFAULT = 80  # characters; longer ones are sentences


def flags_in(text: str) -> dict[str, str]:
    """Flag without dashes -> its default, empty where the help does not say one; in the order of the help."""
    found: dict[str, str] = {}
    names: list[str] = []
    said: list[str] = []

    def keep() -> None:
        stated = DEFAULT.search(" ".join(said))
        default = " ".join(stated[1].split())[:MAX_DEFAULT] if stated else ""
        found.update({name: default for name in names if name not in found})

    for line in text.splitlines():
        if match := OPTION.match(line):
            keep()
            head = match[0] + re.split(r" {2,}", line[match.end() :], maxsplit=1)[0]
            names = [name.removeprefix("--") for name in OTHER_NAMES.findall(head)]
            said = [line]
        elif names and line.strip():
            said.append(line.strip())
    keep()
    return found
