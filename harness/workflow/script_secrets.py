"""What of a launch script may stand in no draft: what has the form of a key, and what the script calls one. Pure."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from harness.vocabulary.base import Scalar
from harness.vocabulary.target import NEVER_AN_ARMS, SECRET_ENV

SECRET_VALUE = re.compile(
    r"(?<![A-Za-z0-9])(hf_|sk-|gh[opsu]_|github_pat_|AKIA|AIza|xox[bp]-|glpat-|nvapi-|eyJ[\w-]{9})"
    r"|://[^/@\s]+:[^/@\s]+@|\bBearer\s|authorization\s*:|-----BEGIN "
    r"|[\"']?(api_?key|token|password|secret)[\"']?\s*[:=]",
    re.IGNORECASE,
)
SECRET_FLAG = NEVER_AN_ARMS[0][0]
NO_SECRET_NAME = re.compile(r"TOKENIZ", re.IGNORECASE)  # the name of a model's tokenizer, or of its library
SHORTEST_SECRET = 6  # characters; looking for a shorter one in other words would find what is none


def looks_secret(value: Scalar) -> bool:
    """Whether a value has the form of a known kind of key, or an address that carries a password."""
    return isinstance(value, str) and SECRET_VALUE.search(value) is not None


@dataclass(frozen=True)
class Hidden:
    """The values that a script keeps in variables and flags whose names say that they are secrets."""

    values: tuple[str, ...]  # the longest first

    @classmethod
    def of(cls, variables: Iterable[tuple[str, str]], more: Iterable[str]) -> "Hidden":
        """Of all variables those that are named like secrets, and `more` values of flags that are."""
        named = [value for name, value in variables if SECRET_ENV.search(name) and not NO_SECRET_NAME.search(name)]
        long = {value for value in (*named, *more) if len(value) >= SHORTEST_SECRET and not _number(value)}
        return cls(tuple(sorted(long, key=lambda value: (-len(value), value))))

    def holds(self, value: Scalar) -> bool:
        """Whether the value is a secret or carries one."""
        return looks_secret(value) or (isinstance(value, str) and any(one in value for one in self.values))

    def without(self, sentence: str) -> str:
        """The sentence with dots in the place of secrets."""
        for one in self.values:
            sentence = sentence.replace(one, "...")
        return " ".join("..." if looks_secret(word) else word for word in sentence.split(" "))


def _number(text: str) -> bool:
    """MAX_TOKENS=131072 is no secret."""
    try:
        float(text)
    except ValueError:
        return False
    return True
