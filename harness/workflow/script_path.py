"""Where the programs of a launch script are searched for: what it puts on PATH, a virtual environment's `activate` too.

Pure. What only the script's own machine can resolve (conda, modules) is said, never guessed on.
"""

from collections.abc import Iterable, MutableMapping, Sequence

from harness.adapters.base import FIXED_PATH

OUTSIDE = "${PATH}"  # the search path of the shell that runs the script, as the reader leaves it
BEFORE = "_OLD_VIRTUAL_PATH"  # where activate keeps the path that it found
PATH, ENVIRONMENT = "PATH", "VIRTUAL_ENV"
CONDA = ("conda", "mamba", "forge")  # their activate has the same file name and does more
LOADING = {
    "conda": ("activate",),
    "mamba": ("activate",),
    "micromamba": ("activate",),
    "pyenv": ("activate", "shell"),
    "workon": (),
    "module": ("load", "add", "swap", "switch", "use", "restore"),
    "ml": (),
    "spack": ("load", "env"),
}  # programs and the words behind them that change what is found; none: any word does


def followed(words: Sequence[str], variables: MutableMapping[str, str]) -> tuple[str, ...]:
    """Change the variables as the command changes its shell's; the names of those that servers then inherit.

    Source: the `activate` that Python's own venv writes. Nothing happens for any other command.
    """
    if tuple(words) == ("deactivate",) and BEFORE in variables:
        variables[PATH] = variables.pop(BEFORE)
        variables.pop(ENVIRONMENT, None)
        return ()
    if (folder := _environment(words)) is None:
        return ()
    variables[BEFORE] = variables.get(BEFORE, variables.get(PATH, OUTSIDE))  # a second one takes the first one away
    variables[PATH] = f"{folder}/bin:{variables[BEFORE]}"
    variables[ENVIRONMENT] = folder
    return (PATH, ENVIRONMENT)


def _environment(words: Sequence[str]) -> str | None:
    """The folder of the virtual environment that the command activates, none if it activates none."""
    if len(words) != 2 or words[0] not in ("source", ".") or not words[1].endswith("/bin/activate"):
        return None
    return None if any(name in words[1] for name in CONDA) else words[1].removesuffix("/bin/activate")


def is_activation(words: Sequence[str]) -> bool:
    """Whether the command's effect is known or said here, whatever else reads it."""
    return _environment(words) is not None or _loads(words)


def _loads(words: Sequence[str]) -> bool:
    if words[0] in ("source", ".") and words[1:]:
        return words[1].rpartition("/")[2] == "activate" and _environment(words) is None
    behind = LOADING.get(words[0].rpartition("/")[2])
    return behind is not None and len(words) > 1 and (not behind or words[1] in behind)


def resolved(env: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """The variables with the servers' fixed search path in the place of the shell's."""
    return tuple((name, value.replace(OUTSIDE, FIXED_PATH) if name == PATH else value) for name, value in env)


def left_behind(env: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """That the search path of the script's own shell did not come over, where the script builds on it."""
    if OUTSIDE not in dict(env).get(PATH, ""):
        return ()
    return (
        f"the script adds to the PATH of the shell that runs it; servers get {FIXED_PATH} in the place of that one, so "
        "write into PATH below what else they need",
    )


def path_doubts(env: Iterable[tuple[str, str]], commands: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """One sentence for each thing that decides what is found, and that the script alone does not tell."""
    path = dict(env).get(PATH)
    parts = [] if path is None else path.split(":")
    said = ["PATH holds an empty part, which means the folder that a program runs in; take it away"] * ("" in parts)
    said += [
        f"PATH holds {part!r}, which is no whole path; servers start in the workspace, so write it whole"
        for part in parts
        if part and not part.startswith(("/", "$"))
    ]
    said += [
        f"the script prepares its shell with {' '.join(words)!r}, and only its machine can tell what that sets; write "
        "PATH and what else it sets into [baseline.env], and the program's whole path into the command"
        for words in commands
        if _loads(words)
    ]
    return tuple(said)
