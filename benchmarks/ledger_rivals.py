"""Two other programs' records, written for scale in an environment of their own: MLflow's SQLite store, llm's log.

They keep no chain and refuse no change; what is compared is only how many records a second are on the disk.
"""

import json
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

INSTALL_S, RUN_S = 900, 300

MLFLOW = """
import json, logging, os, sqlite3, sys, time
os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"
logging.disable(logging.CRITICAL)
from mlflow.entities import Metric
from mlflow.store.tracking.sqlalchemy_store import SqlAlchemyStore
folder, count, batch = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
store = SqlAlchemyStore(f"sqlite:///{folder}/mlflow.db", folder + "/artifacts")
run = store.create_run(store.create_experiment("x"), "user", 0, [], "run").info.run_id
begin, cpu = time.perf_counter(), time.process_time()
for first in range(0, count, batch):
    store.log_batch(run, [Metric("total_tok_s", 60.0 + n, 1000 + n, n) for n in range(first, first + batch)], [], [])
took, cpu = time.perf_counter() - begin, time.process_time() - cpu
rows = sqlite3.connect(folder + "/mlflow.db").execute("SELECT COUNT(*) FROM metrics").fetchone()[0]
print(json.dumps({"records": rows, "wall_s": took, "cpu_s": cpu}))
"""
LLM = """
import json, sys, time
import llm, sqlite_utils
from llm.migrations import migrate
folder, count = sys.argv[1], int(sys.argv[2])
database = sqlite_utils.Database(folder + "/logs.db")
migrate(database)
class Model(llm.Model):
    model_id = "none"
    def execute(self, prompt, stream, response, conversation):
        yield "y" * 300
responses = [Model().prompt(f"prompt {n}", stream=False) for n in range(count)]
for one in responses:
    one.text()
begin, cpu = time.perf_counter(), time.process_time()
for one in responses:
    one.log_to_db(database)
took, cpu = time.perf_counter() - begin, time.process_time() - cpu
table = next(name for name in ("turns", "responses") if name in database.table_names())
print(json.dumps({"records": database[table].count, "wall_s": took, "cpu_s": cpu}))
"""


@dataclass(frozen=True)
class Rival:
    """One program: what is installed, what is run, what one record is."""

    name: str
    packages: tuple[str, ...]
    program: str
    record: str


RIVALS = (
    Rival(
        "MLflow, SQLite store",
        ("mlflow-skinny", "sqlalchemy", "alembic"),
        MLFLOW,
        "a metric; `log_batch` of 50, one transaction",
    ),
    Rival("llm, log", ("llm",), LLM, "a response of 300 characters; `log_to_db`, each by itself"),
)


@dataclass(frozen=True)
class Written:
    """What one program wrote."""

    records: int
    wall_s: float
    cpu_s: float


def install(rival: Rival, folder: Path) -> str:
    """Make its environment below the folder; empty when it is there, else why not."""
    place = folder / rival.packages[0]
    if (place / "ready").exists():
        return ""
    venv.create(place, with_pip=True)
    argv = [str(place / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    done = subprocess.run([*argv, *rival.packages], check=False, capture_output=True, text=True, timeout=INSTALL_S)
    if done.returncode:
        return (done.stderr.strip().splitlines() or ["no word"])[-1]
    (place / "ready").touch()
    return ""


def write(rival: Rival, folder: Path, scratch: Path, count: int, batch: int) -> Written | str:
    """Its figures for so many records, or why there are none."""
    scratch.mkdir()
    argv = [
        str(folder / rival.packages[0] / "bin" / "python"),
        "-c",
        rival.program,
        str(scratch),
        str(count),
        str(batch),
    ]
    done = subprocess.run(argv, check=False, capture_output=True, text=True, timeout=RUN_S, cwd=scratch)
    if done.returncode:
        return (done.stderr.strip().splitlines() or ["no word"])[-1]
    said = json.loads(done.stdout.strip().splitlines()[-1])
    return Written(said["records"], said["wall_s"], said["cpu_s"])


def versions(rival: Rival, folder: Path) -> str:
    """Name and version of what was installed first."""
    code = f"import importlib.metadata as m; print(m.version({rival.packages[0]!r}))"
    argv = [str(folder / rival.packages[0] / "bin" / "python"), "-c", code]
    done = subprocess.run(argv, check=False, capture_output=True, text=True, timeout=RUN_S)
    return f"{rival.name} {done.stdout.strip()}"


if __name__ == "__main__":
    sys.exit("run `python -m benchmarks.ledger write`")
