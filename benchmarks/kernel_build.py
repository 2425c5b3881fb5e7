"""Builds every variant of a benchmark's plan: `python -m benchmarks.kernel_build PLAN.json FOLDER`. Needs no card.

A plan is a list of {"source", "flags", "architectures"}; each cubin is named by the hash of what made it, and beside it
`resources.json` keeps ptxas' registers, spills and shared memory. The machine with the card needs no compiler.
"""

import hashlib
import importlib.util
import json
import re
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
USED = re.compile(r"Compiling entry function '(\w+)'.*?(\d+) bytes spill stores.*?Used (\d+) registers([^\n]*)", re.S)


@dataclass(frozen=True)
class Built:
    """What ptxas says about one entry."""

    source: str
    flags: list[str]
    architecture: str
    entry: str
    registers: int
    spilled_bytes: int
    shared_bytes: int


def task_module(task: str, name: str) -> ModuleType:
    """inputs.py or reference.py of a task folder; several folders have files of one name."""
    spec = importlib.util.spec_from_file_location(f"{task}_{name}", ROOT / "kernels" / task / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def cubin_name(source: str, flags: list[str], architecture: str) -> str:
    """File name by contents: the folder's headers and the source, flags and architecture."""
    folder = (ROOT / source).parent
    texts = [path.read_bytes() for path in sorted(folder.glob("*.cuh"))]
    parts = [(ROOT / source).read_bytes(), *texts, " ".join(flags).encode(), architecture.encode()]
    return f"{Path(source).stem}-{hashlib.sha256(b'|'.join(parts)).hexdigest()[:16]}.cubin"


def compile_one(source: str, flags: list[str], architecture: str) -> tuple[bytes, str]:
    """The cubin and the compiler's log. Raises SystemExit with the compiler's words."""
    from cuda.bindings import nvrtc  # noqa: PLC0415  only the machine with the compiler needs it

    def value(answer: tuple[Any, ...]) -> Any:
        return answer[1]

    text = (ROOT / source).read_bytes()
    program = value(nvrtc.nvrtcCreateProgram(text, source.encode(), 0, [], []))
    include = f"-I{(ROOT / source).parent}"
    options = [f"--gpu-architecture={architecture}", "--std=c++17", "--ptxas-options=-v", include, *flags]
    status = nvrtc.nvrtcCompileProgram(program, len(options), [option.encode() for option in options])
    log = b" " * value(nvrtc.nvrtcGetProgramLogSize(program))
    nvrtc.nvrtcGetProgramLog(program, log)
    if int(status[0]):
        raise SystemExit(f"{source} {flags} {architecture}: {log.decode()}")
    cubin = b" " * value(nvrtc.nvrtcGetCUBINSize(program))
    nvrtc.nvrtcGetCUBIN(program, cubin)
    return cubin, log.decode()


def resources(source: str, flags: list[str], architecture: str, log: str) -> list[Built]:
    """Every entry that ptxas reports."""
    found = []
    for entry, spilled, registers, rest in USED.findall(log):
        shared = re.search(r"(\d+) bytes smem", rest)
        size = int(shared.group(1)) if shared else 0
        found.append(Built(source, flags, architecture, entry, int(registers), int(spilled), size))
    return found


def build(plan: list[dict[str, Any]], folder: Path) -> list[Built]:
    """Builds what is not there yet; old resources stay."""
    folder.mkdir(parents=True, exist_ok=True)
    kept = folder / "resources.json"
    known: dict[str, list[dict[str, Any]]] = json.loads(kept.read_text()) if kept.is_file() else {}
    for variant in plan:
        for architecture in variant["architectures"]:
            source, flags = variant["source"], variant["flags"]
            name = cubin_name(source, flags, architecture)
            if not (folder / name).is_file() or name not in known:
                cubin, log = compile_one(source, flags, architecture)
                (folder / name).write_bytes(cubin)
                known[name] = [asdict(one) for one in resources(source, flags, architecture, log)]
                kept.write_text(json.dumps(known, indent=1))
    return [Built(**one) for entries in known.values() for one in entries]


def main() -> None:
    """Prints one line a variant."""
    plan, folder = json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2])
    for one in build(plan, folder):
        used = f"{one.registers} registers, {one.spilled_bytes} B spilled"
        print(f"{one.architecture} {one.entry} {' '.join(one.flags)}: {used}")


if __name__ == "__main__":
    main()
