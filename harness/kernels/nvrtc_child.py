"""Started as a script, shut in: compiles what it is told on standard input with NVRTC and says how that went.

Standard library and cuda-core only. In: one JSON job a line. Out: one JSON result a line, as soon as it is there.
"""

import io
import json
import sys
from pathlib import Path
from typing import Any


def compiled(job: dict[str, Any]) -> dict[str, Any]:
    """Compile one source for one architecture; the cubin goes to the job's own file."""
    from cuda.core import Program, ProgramOptions  # noqa: PLC0415 - of the extra `kernels`

    options = ProgramOptions(
        name=job["name"],
        arch=job["architecture"],
        std=job["std"],
        include_path=job["include"],
        define_macro=[tuple(pair) for pair in job["define"]] or None,
        use_fast_math=job["fast_math"] or None,
        max_register_count=job["most_registers"],
        ptxas_options="-v",
    )
    words = io.StringIO()
    try:
        made = Program(Path(job["source"]).read_text(encoding="utf-8"), "c++", options).compile("cubin", logs=words)
    except Exception as error:  # noqa: BLE001 - the compiler's words, whatever class they come in
        return {"ok": False, "words": f"{error}\n{words.getvalue()}"}
    Path(job["output"]).write_bytes(made.code)
    return {"ok": True, "words": words.getvalue()}


def main() -> int:
    """Every job in turn, until nobody asks any more."""
    for line in sys.stdin:
        sys.stdout.write(json.dumps(compiled(json.loads(line))) + "\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
