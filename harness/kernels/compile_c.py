"""Arms in C: gcc with the task's flags, shut in, with a call of the entry appended so that its signature is checked."""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from harness.kernels.bench.reasons import Reason
from harness.kernels.confine import Shut, Way, shut_in
from harness.kernels.diagnose import Diagnosis, diagnose
from harness.kernels.folder import ArmSource, Folder

GCC = "gcc"
COMPILING_S = 60.0
ALWAYS = ("-shared", "-fPIC", "-Werror=implicit-function-declaration", "-Werror=int-conversion")
LAST = ("-lm",)
# Options that choose code; none that reads or runs other files.
ALLOWED = re.compile(
    r"-(O[0-3sgz]?|Ofast|g|pthread|fopenmp|std=(c|gnu)\d\w|m[a-z0-9.=_+-]+|f(?!plugin|dump|profile|compare)[a-z0-9=_-]+"
    r"|W[a-z0-9=-]+|[DU]\w+(=[\w.+-]*)?)"
)


@dataclass(frozen=True)
class Object:
    """A shared object that was built."""

    path: Path
    words: str  # what the compiler said


def refused_flag(flags: tuple[str, ...]) -> str | None:
    """The first flag that is not allowed."""
    return next((flag for flag in flags if not ALLOWED.fullmatch(flag)), None)


def compile_c(folder: Folder, arm: ArmSource, output: Path, way: Way) -> Object | Diagnosis:
    """Build one arm into `output`, which lies in a folder of its own."""
    flags = (*folder.task.flags, *arm.arm.flags)
    if (flag := refused_flag(flags)) is not None:
        return Diagnosis(Reason.COMPILE_ERROR, f"flag {flag!r} is not allowed; take options that choose code only")
    unit = output.with_suffix(".check.c")
    unit.write_text(_unit(folder, arm), encoding="utf-8")
    argv = (GCC, *ALWAYS, *flags, "-I", str(folder.path), "-o", str(output), str(unit), *LAST)
    words = _run(shut_in(way, argv, Shut((folder.path,), (output.parent,))))
    if isinstance(words, Diagnosis):
        shown = words.sentence.replace(f"{folder.path}/", "").replace(str(unit), "the call of the entry")
        return Diagnosis(words.reason, shown)
    return Object(output, words)


def compile_plain(source: Path, output: Path, way: Way) -> Diagnosis | None:
    """Build a source of the bench itself, as fast as this processor allows."""
    argv = (GCC, *ALWAYS, "-O3", "-march=native", "-o", str(output), str(source), *LAST)
    found = _run(shut_in(way, argv, Shut((source,), (output.parent,))))
    return found if isinstance(found, Diagnosis) else None


def _run(argv: tuple[str, ...]) -> str | Diagnosis:
    """What the compiler said, or why there is no object."""
    missing = Diagnosis(Reason.COMPILER_MISSING, "gcc is not installed here; install it")
    try:
        done = subprocess.run(argv, capture_output=True, text=True, errors="replace", timeout=COMPILING_S, check=False)
    except FileNotFoundError:
        return missing
    except subprocess.TimeoutExpired:
        return Diagnosis(Reason.COMPILE_ERROR, f"the compiler was ended after {COMPILING_S:g} s")
    words = done.stderr + done.stdout
    if done.returncode == 0:
        return words
    return missing if f"execvp {GCC}" in words else diagnose(words)


def _unit(folder: Folder, arm: ArmSource) -> str:
    """The arm's source, and behind it a call as the runner will make it; no call where the arm has steps of its own."""
    text = f'#include "{folder.path / arm.source}"\n'
    if arm.arm.step:
        return text
    entry = arm.arm.entry or folder.task.entry
    given = ", ".join("0" if argument.role == "scalar" else "(void *)0" for argument in folder.task.argument)
    return f"{text}__attribute__((unused)) static void call_of_the_entry(void) {{ {entry}({given}); }}\n"
