"""The list of refusals in `refusals/*.toml`, one file a part: read and checked against the tree, nothing is run."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LISTS = Path(__file__).parent / "refusals"


@dataclass(frozen=True)
class Refusal:
    """One thing that the product refuses, and the mutation that takes the refusal away."""

    id: str  # part and a few words, unique
    refused: str  # one sentence
    file: str  # the source file, relative to the root
    find: str  # text that stands exactly once in that file
    replace: str  # what stands there in the mutated code
    test: str  # path, path::node, or path with -k and an expression; must fail under the mutation

    @property
    def test_path(self) -> str:
        """The test's file."""
        return self.test.split(" ")[0].split("::")[0]

    @property
    def arguments(self) -> tuple[str, ...]:
        """The test as pytest's arguments: an expression after -k stays one word."""
        path, _, expression = self.test.partition(" -k ")
        return (path, "-k", expression) if expression else (path,)


@dataclass(frozen=True)
class Part:
    """One file of the list."""

    name: str
    title: str
    refusals: tuple[Refusal, ...]


def read_parts(lists: Path = LISTS) -> tuple[Part, ...]:
    """Every part in order of its file's name. Raises TypeError for an entry with a missing or unknown key."""
    parts: list[Part] = []
    for path in sorted(lists.glob("*.toml")):
        value = tomllib.loads(path.read_text(encoding="utf-8"))
        entries = tuple(Refusal(**entry) for entry in value["refusal"])
        parts.append(Part(path.stem, value["title"], entries))
    return tuple(parts)


def read_refusals(lists: Path = LISTS) -> tuple[Refusal, ...]:
    """Every refusal of every part."""
    return tuple(refusal for part in read_parts(lists) for refusal in part.refusals)


def mutated(source: str, refusal: Refusal) -> str:
    """The source without the refusal. Raises ValueError unless its text stands there exactly once."""
    count = source.count(refusal.find)
    if count != 1:
        raise ValueError(f"{refusal.id}: its text stands {count} times in {refusal.file}, must be once; correct `find`")
    return source.replace(refusal.find, refusal.replace)


def faults(refusals: tuple[Refusal, ...], root: Path = ROOT) -> tuple[str, ...]:
    """What is wrong with the list itself, one sentence each."""
    said = [
        f"{refusal.id}: stands twice"
        for number, refusal in enumerate(refusals)
        if refusal.id in _ids(refusals[:number])
    ]
    for refusal in refusals:
        said.extend(_faults_of(refusal, root))
    return tuple(said)


def _ids(refusals: tuple[Refusal, ...]) -> set[str]:
    return {refusal.id for refusal in refusals}


def _faults_of(refusal: Refusal, root: Path) -> list[str]:
    said: list[str] = []
    try:
        changed = mutated((root / refusal.file).read_text(encoding="utf-8"), refusal)
        compile(changed, refusal.file, "exec")
    except (ValueError, OSError, SyntaxError) as error:
        said.append(str(error) if isinstance(error, ValueError) else f"{refusal.id}: {refusal.file}: {error}")
    if refusal.find == refusal.replace:
        said.append(f"{refusal.id}: the mutation changes nothing")
    test = root / refusal.test_path
    node = refusal.test.partition("::")[2].partition("[")[0].split(" ")[0]
    if not test.is_file():
        said.append(f"{refusal.id}: {refusal.test_path} does not exist")
    elif node and f"def {node}(" not in test.read_text(encoding="utf-8"):
        said.append(f"{refusal.id}: {refusal.test_path} has no {node}")
    return said
