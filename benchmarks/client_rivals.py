"""Other serving benchmarks, installed apart from the project: `python -m benchmarks.client_rivals FOLDER`.

Each goes into a virtual environment of its own below FOLDER. What cannot be installed is said and left out.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

INSTALL_S = 900


@dataclass(frozen=True)
class Load:
    """So many streams at once, so many requests, so many tokens each."""

    streams: int
    requests: int
    tokens: int


@dataclass(frozen=True)
class Reported:
    """What a tool says of one run, and what it cost."""

    ttft_ms: tuple[float, ...]
    wall_s: float
    cpu_s: float
    rss_mib: float


@dataclass(frozen=True)
class Rival:
    """One tool: how it is installed and run."""

    package: str
    run: Callable[[Path, str, Load], Reported]  # folder, address of the server, load

    def installed(self, folder: Path) -> bool:
        """Whether its environment is there."""
        return (folder / self.package / "bin" / self.package).exists()

    def install(self, folder: Path) -> str:
        """Make its environment; one sentence on how that went."""
        place = folder / self.package
        venv.create(place, with_pip=True)
        done = subprocess.run(
            [place / "bin" / "python", "-m", "pip", "install", "--quiet", self.package],
            check=False, capture_output=True, text=True, timeout=INSTALL_S,
        )  # fmt: skip
        last = (done.stderr.strip().splitlines() or ["no word"])[-1]
        return f"{self.package}: installed" if done.returncode == 0 else f"{self.package}: not installed ({last})"


def guidellm(folder: Path, url: str, load: Load) -> Reported:
    """`guidellm run`, concurrent profile, prompts from a file."""
    with tempfile.TemporaryDirectory() as name:
        prompts, out = Path(name) / "prompts.csv", Path(name) / "out.json"
        lines = [f"request-{number} says,{load.tokens}" for number in range(load.requests)]
        prompts.write_text("\n".join(["prompt,output_tokens_count", *lines]) + "\n", encoding="utf-8")
        cost = timed(
            [
                str((folder / "guidellm/bin/guidellm").absolute()), "run", "--disable-console",
                "--backend", f"kind=openai_http,target={url},model=truth",
                "--profile", f"kind=concurrent,streams={load.streams}",
                "--constraint", f"kind=max_requests,count={load.requests}",
                "--data", f"kind=csv_file,path={prompts}", "--output", f"kind=json,path={out}",
            ]
        )  # fmt: skip
        (ran,) = json.loads(out.read_text(encoding="utf-8"))["benchmarks"]
    return Reported(tuple(one["time_to_first_token_ms"] for one in ran["requests"]["successful"]), *cost)


def aiperf(folder: Path, url: str, load: Load) -> Reported:
    """`aiperf profile`, fixed concurrency, prompts from a file, a tokenizer of three words."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        prompts = [json.dumps({"text": f"request-{number} says"}) for number in range(load.requests)]
        (place / "prompts.jsonl").write_text("\n".join(prompts) + "\n", encoding="utf-8")
        three_words(place / "tokenizer")
        cost = timed(
            [
                str((folder / "aiperf/bin/aiperf").absolute()), "profile", "-m", "truth", "--url", url, "--streaming",
                "--endpoint-type", "chat", "--concurrency", str(load.streams), "--request-count", str(load.requests),
                "--input-file", str(place / "prompts.jsonl"), "--custom-dataset-type", "single_turn",
                "--tokenizer", str(place / "tokenizer"), "--extra-inputs", f"max_tokens:{load.tokens}",
                "--artifact-dir", str(place / "out"), "--ui", "none",
            ]
        )  # fmt: skip
        lines = (place / "out" / "profile_export.jsonl").read_text(encoding="utf-8").splitlines()
    said = [json.loads(line)["metrics"]["time_to_first_token"]["value"] for line in lines]
    return Reported(tuple(said), *cost)


def three_words(folder: Path) -> None:
    """The smallest tokenizer that Hugging Face's libraries load, so that none is downloaded."""
    folder.mkdir()
    model = {"type": "WordLevel", "vocab": {"<unk>": 0, "word": 1, "says": 2}, "unk_token": "<unk>"}
    rest: dict[str, object] = dict.fromkeys(("truncation", "padding", "normalizer", "post_processor", "decoder"))
    whole: dict[str, object] = {
        "version": "1.0",
        **rest,
        "added_tokens": [],
        "pre_tokenizer": {"type": "Whitespace"},
        "model": model,
    }
    (folder / "tokenizer.json").write_text(json.dumps(whole), encoding="utf-8")
    settings = {"tokenizer_class": "PreTrainedTokenizerFast", "unk_token": "<unk>"}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")


def timed(command: list[str], limit_s: float = 600) -> tuple[float, float, float]:
    """Run a command on the first core: wall clock, CPU of it and its children, largest memory of one of them in MiB."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    pinned = ["taskset", "-c", "0", *command]
    subprocess.run(pinned, check=True, capture_output=True, timeout=limit_s)
    wall_s = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall_s, cpu_s, after.ru_maxrss / 1024


RIVALS = {"guidellm": Rival("guidellm", guidellm), "aiperf": Rival("aiperf", aiperf)}


def main() -> None:
    """Install all of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    for rival in RIVALS.values():
        sys.stdout.write(rival.install(folder) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
